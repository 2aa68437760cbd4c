"""The numbered steps of compiling, and what each came to."""

from collections.abc import Sequence

from floe.actions.compile.batch import Run
from floe.model import Finding, Severity


def steps(run: Run, found: Sequence[Finding], failed: bool, file: str | None, why: str) -> list[tuple[str, str]]:
    """The steps of resolution; `file` is where the artifacts stand, `why` says why versions were not compared."""
    products = [compiled_product for compiled_product in run.products if compiled_product.entry]
    outputs = sum(len(product.entry["output_ports"]) for product in products if product.entry)
    inputs = sum(len(compiled_product.entry["input_ports"]) for compiled_product in products if compiled_product.entry)
    who = products[0].title if len(products) == 1 else _plural(len(products), "product")
    generated = sum(bool(compiled.ports) for compiled in run.ones)
    explicit = [compiled for compiled in run.ones if not compiled.generated]
    merged = sum(bool(compiled.ports) for compiled in explicit)
    inherit = sum(bool(each_compiled.parents) for each_compiled in run.ones)
    dbt = any(each_compiled_product.dbt for each_compiled_product in run.products)
    stored = "nothing: no contract was compiled"
    if file:
        stored = f"{file}: {_plural(sum(compiled.summary is not None for compiled in run.ones), 'contract')}"
    elif failed:
        stored = "not written because of errors; an existing file is unchanged"
    return [
        ("Parse floe.yaml", f"{who}, {_plural(outputs, 'output port')}, {_plural(inputs, 'input port')}"),
        ("Generate contracts from ports", f"{_plural(generated, 'contract')}{', enriched from dbt' if dbt else ''}"),
        ("Merge explicit documents", f"{_plural(len(explicit), 'document')}, {merged} over generated contracts"),
        ("Apply inheritance", f"{_plural(inherit, 'contract')} with parents"),
        ("Check schema, policy, inheritance, versions, tables", _checked(run, found, why)),
        ("Store compiled artifacts", stored),
        ("Register in registry and catalog", "run floe publish"),
        ("Hand over to the monitor", "floe monitor reads the file" if file else "nothing to hand over"),
    ]


def _checked(run: Run, found: Sequence[Finding], why: str) -> str:
    if run.worker.off:
        return "nothing is checked: enforcement is off"
    worst = [finding for finding in found if finding.counts and finding.severity >= Severity.WARNING]
    tables = sum(len(compiled.compared) for compiled in run.ones)
    reached = f"{_plural(tables, 'table')} compared" if tables else "no table reachable, none compared"
    before = " and ".join(base.name for base in run.history.bases)
    versions = f"versions compared with {before}" if before else f"no versions compared: {why}"
    return f"{_plural(len(worst), 'finding')}, {reached}, {versions}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
