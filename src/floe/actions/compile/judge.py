"""Check an effective contract with rules, parents, policies and waivers, with the severities of compiling."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from floe import tables
from floe.contract.formats.config.policies import read_policies, read_waivers
from floe.contract.lint import RULES
from floe.contract.lint.ignore import ignored
from floe.contract.lint.rule import findings as rule_findings, in_order
from floe.contract.lint.rules.policy_broken import DEMANDS
from floe.contract.lint.rules.secret import hide, secrets_in
from floe.contract.lint.tiers import policy_findings, tier_findings
from floe.contract.lint.views import LintScope
from floe.contract.resolve.inherit import Effective
from floe.contract.resolve.waive import waived
from floe.engine.metadata.schema import Difference, differences
from floe.model import Contract, Dataset, Finding, FloeError, SettingError, Severity, locate
from floe.model.contract import Target
from floe.model.policy import Policy, Waiver
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target

# what fails compiling at the default level
CRITICAL = ("E500", "E501", "E502", "E503", "E509", "E511", "E512", "E520", "E530", "E531")


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules, labels and policies that contracts are checked with."""

    policies: tuple[Policy, ...]
    waivers: tuple[Waiver, ...]
    scope: LintScope
    directions: Mapping[str, str]


def rulebook(settings: Settings) -> Rulebook:
    """The rulebook of the settings; SettingError where a policy or waiver makes no sense."""
    policies = read_policies(settings.policies, settings.origin("policies"), DEMANDS)
    waivers = read_waivers(settings.waivers, settings.origin("waivers"))
    listed = settings.origin("classifications") != "default"
    labels = tuple(label for label in settings.classifications if isinstance(label, str))
    scope = LintScope(labels, listed, str(settings.root), lambda path: os.path.realpath(Path(path)))
    return Rulebook(policies, waivers, scope, settings.compatibility.sla_directions)


def judge(effective: Effective, rules: Rulebook) -> list[Finding]:
    """Findings of floe's rules, the parents and the policies for an effective contract."""
    contract = effective.contract
    found = rule_findings(contract, RULES, rules.scope)
    for parent in effective.parents:
        found += tier_findings(effective.own, parent.contract, RULES, rules.scope.labels, rules.directions)
    policies, broken = list(rules.policies), []
    for holder in (*effective.ancestors, effective.own):
        try:
            policies += policies_of(holder)
        except SettingError as error:
            broken.append(_unreadable(holder, error))
    found += policy_findings(contract, tuple(policies), RULES)
    return [*found, *broken]


def judge_contract(contract: Contract, settings: Settings, today: date | None = None) -> list[Finding]:
    """Findings of rules, policies and waivers for a contract without others."""
    rules = rulebook(settings)
    found = apply_ignores(judge(Effective(contract, contract), rules))
    return apply_waivers(found, rules, contract.identity.rsplit(":", 1)[0], today or settings.clock().date())


def policies_of(holder: Contract) -> tuple[Policy, ...]:
    """The policies that a contract holds for its children; SettingError where one makes no sense."""
    entries = holder.custom.get("policies")
    if entries is None:
        return ()
    return read_policies(entries, holder.source, DEMANDS, holder.source)


def _unreadable(holder: Contract, error: SettingError) -> Finding:
    place = holder.node.value_places.get("customProperties", holder.node.place)
    return Finding(
        "E501",
        "policy-unreadable",
        Severity.CRITICAL,
        error.message,
        "",
        error.suggestion,
        place,
        ("customProperties",),
    )


def apply_ignores(found: Iterable[Finding]) -> list[Finding]:
    """Findings with the severities of compiling, the comments of their files applied, secrets hidden."""
    judged = [as_compiled(finding) for finding in found]
    by_file: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in judged:
        if finding.place:
            by_file[finding.place.file].append(finding)
    kept: list[Finding] = []
    for file, findings in by_file.items():
        text = _text(file)
        secrets = secrets_in(text)
        kept += [hide(finding, secrets) for finding in ignored(findings, text, file)]
    kept += [finding for finding in judged if finding.place is None]
    return in_order(dict.fromkeys(kept))


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8", "replace")
    except OSError:
        return ""


def apply_waivers(found: Sequence[Finding], rules: Rulebook, contract: str, today: date) -> list[Finding]:
    """The findings of a contract after the waivers that hold today."""
    return in_order(waived(found, rules.waivers, contract, today)) if rules.waivers else list(found)


def as_compiled(finding: Finding) -> Finding:
    """A finding with the severity that compiling gives to its code."""
    if finding.severity < Severity.ERROR:
        return finding
    wanted = Severity.CRITICAL if finding.code in CRITICAL else Severity.ERROR
    return finding if finding.severity is wanted else replace(finding, severity=wanted)


_ROOTS = "sqlite:///"


def targets(contract: Contract, settings: Settings) -> list[tuple[Dataset, Target]]:
    """The table of each dataset, if the contract and the settings have one."""
    found = []
    for dataset in () if settings.untrusted else contract.datasets:
        try:
            found.append((dataset, find_target(settings, contract, dataset, TableSelector(), None)))
        except FloeError:
            continue
    return found


def drift(tables: list[tuple[Dataset, Target]], settings: Settings) -> tuple[list[str], list[Finding]]:
    """The tables that were compared, and where they differ from the contract."""
    compared: list[str] = []
    found: list[Finding] = []
    for dataset, target in tables:
        try:
            schema = _schema(target, settings) if reachable(target.name, target.path, settings) else None
        except FloeError:
            continue
        if schema is not None:
            compared.append(str(target))
            found += [_finding(dataset, difference, str(target)) for difference in differences(dataset.schema, schema)]
    return compared, found


def reachable(name: str | None, path: str | None, settings: Settings) -> bool:
    """Whether there may be a table that needs no Spark: a folder with a log, or a catalog in a file."""
    if path:
        return os.path.isdir(os.path.join(path, "_delta_log"))
    uri = str((settings.catalogs.get((name or "").split(".")[0]) or {}).get("uri", ""))
    return uri.startswith(_ROOTS) and (settings.root / uri.removeprefix(_ROOTS)).is_file()


def _schema(target: Target, settings: Settings) -> Struct | None:
    """A table's columns with their types; None where there is no table."""
    return tables.reader_of(target).schema(target, settings)


def _finding(dataset: Dataset, difference: Difference, table: str) -> Finding:
    top = difference.path.split(".", 1)[0].split("[", 1)[0].split("{", 1)[0]
    field = next((field for field in dataset.fields if field.column == top), None)
    if difference.code == "E532":
        text = f"Table has column '{dataset.name}.{difference.path}', which the contract does not"
        place = locate(dataset.node, "properties", key=True)
        return Finding("E532", difference.name, Severity.INFO, text, f"Table: {table}", "", place, dataset.at)
    suggestion = "Update contract schema or table definition to match"
    text, detail = f"Column '{dataset.name}.{difference.path}' is not in the table", f"Table: {table}"
    if difference.code == "E530":
        text = f"Type mismatch for column '{difference.path}'"
        detail = f"Contract: {difference.expected}, Table: {difference.actual}"
    place = locate((field or dataset).node, "name")
    return Finding(
        difference.code, difference.name, Severity.CRITICAL, text, detail, suggestion, place, (field or dataset).at
    )
