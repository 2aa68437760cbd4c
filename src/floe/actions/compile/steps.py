"""The numbered steps of compiling, and what each came to."""

from collections.abc import Sequence

from floe.actions.compile.batch import Run
from floe.model import Finding, Severity


def steps(run: Run, found: Sequence[Finding], failed: bool, file: str | None, why: str) -> list[tuple[str, str]]:
    """The steps of resolution; `file` is where the artifacts stand, `why` says why versions were not compared."""
    generated = sum(bool(compiled.ports) for compiled in run.contracts)
    from_dbt = ", enriched from dbt" if any(product.dbt for product in run.products) else ""
    explicit = [compiled for compiled in run.contracts if not compiled.generated]
    merged = sum(bool(compiled.ports) for compiled in explicit)
    inherit = sum(bool(compiled.parents) for compiled in run.contracts)
    return [
        ("Parse floe.yaml", _parsed(run)),
        ("Generate contracts from ports", f"{_plural(generated, 'contract')}{from_dbt}"),
        ("Merge explicit documents", f"{_plural(len(explicit), 'document')}, {merged} over generated contracts"),
        ("Apply inheritance", f"{_plural(inherit, 'contract')} with parents"),
        ("Check schema, policy, inheritance, versions, tables", _checked(run, found, why)),
        ("Store compiled artifacts", _stored(run, failed, file)),
        ("Register in registry and catalog", "run floe publish"),
        ("Hand over to the monitor", "floe monitor reads the file" if file else "nothing to hand over"),
    ]


def _parsed(run: Run) -> str:
    products = [(product.title, product.entry) for product in run.products if product.entry]
    outputs = sum(len(entry["output_ports"]) for _, entry in products)
    inputs = sum(len(entry["input_ports"]) for _, entry in products)
    name = products[0][0] if len(products) == 1 else _plural(len(products), "product")
    return f"{name}, {_plural(outputs, 'output port')}, {_plural(inputs, 'input port')}"


def _stored(run: Run, failed: bool, file: str | None) -> str:
    if file:
        return f"{file}: {_plural(sum(compiled.summary is not None for compiled in run.contracts), 'contract')}"
    if failed:
        return "not written: something fails; an older file stays as it was"
    return "nothing: no contract came through"


def _checked(run: Run, found: Sequence[Finding], why: str) -> str:
    if run.worker.off:
        return "nothing is checked: enforcement is off"
    worst = [finding for finding in found if finding.counts and finding.severity >= Severity.WARNING]
    tables = sum(len(compiled.compared) for compiled in run.contracts)
    reached = f"{_plural(tables, 'table')} compared" if tables else "no table reachable, none compared"
    before = " and ".join(base.name for base in run.history.bases)
    versions = f"versions compared with {before}" if before else f"no versions compared: {why}"
    return f"{_plural(len(worst), 'finding')}, {reached}, {versions}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
