"""Compare schemas: two schemas, or two versions, as the plugin's callers see them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from floe.actions.diff import diff, terms_of
from floe.actions.load.find import load_contract
from floe.actions.load.settings import load_settings
from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.model import Contract, Dataset, Severity
from floe.model.change import Bump, Change, below

Schema = str | Path | Contract | Dataset
# rows of docs/design/compatibility.md that are about schemas: tables, columns, types, constraints
_ROWS = ("B", "C", "D", "K")


@dataclass(frozen=True, slots=True)
class SchemaComparisonResult:
    """Breaking changes, additions, and changes of descriptions."""

    compatible: bool
    breaking_changes: list[str]
    additions: list[str]
    metadata_changes: list[str]


def compare_schemas(old_schema: Schema, new_schema: Schema) -> SchemaComparisonResult:
    """What changes between two schemas: datasets, or contracts by any of their names."""
    old, new = _contract(old_schema), _contract(new_schema)
    if isinstance(old_schema, Dataset) and isinstance(new_schema, Dataset):
        new = replace(new, datasets=(replace(new_schema, name=old_schema.name),))
    found = changes(old, new, CHANGES, terms_of(load_settings()))
    return comparison([change for change in found if change.row.startswith(_ROWS)])


def _contract(schema: Schema) -> Contract:
    if isinstance(schema, Dataset):
        return Contract(api_version="v3.1.0", id=schema.name, version="1.0.0", datasets=(schema,))
    return load_contract(schema, load_settings())


def comparison(found: Sequence[Change]) -> SchemaComparisonResult:
    """Changes as the plugin's callers see them."""
    breaking = [said(change) for change in found if change.bump is Bump.MAJOR]
    return SchemaComparisonResult(
        compatible=not breaking,
        breaking_changes=breaking,
        additions=[said(change) for change in found if change.bump is Bump.MINOR],
        metadata_changes=[said(change) for change in found if change.bump in (Bump.PATCH, Bump.NONE)],
    )


def said(change: Change) -> str:
    """A change as the plugin's callers see them."""
    field = below(change.path)
    match change.change:
        case "field-removed":
            return f"Removed column: {field}"
        case "type-changed":
            return f"Type change: {field} ({change.old} → {change.new})"
        case "field-made-required":
            return f"Nullability stricter: {field} (optional → required)"
        case "field-made-optional":
            return f"Nullability relaxed: {field}"
        case "required-field-added":
            return f"New required column: {field}"
        case "field-added":
            return f"New optional column: {field}"
        case name:
            what = name.replace("-", " ").capitalize()
            values = f" ({change.old} → {change.new})" if (change.old, change.new) != (None, None) else ""
            return f"{what}: {field or 'contract'}{values}"


def validate_version_bump(old: str | Path | Contract, new: str | Path | Contract) -> tuple[bool, str]:
    """Whether a new version has the bump that its changes require, and if not, what it should be."""
    found = diff(old, new)
    numbers = f"Current: {found.old}, Proposed: {found.new}."
    codes = {finding.code: finding for finding in found.findings if finding.severity >= Severity.ERROR}
    if found.bump is Bump.MAJOR and found.declared < Bump.MAJOR:
        breaking = [said(change) for change in found.changes if change.bump is Bump.MAJOR]
        return False, f"Breaking changes require MAJOR version bump. {numbers} Changes: {breaking}"
    if found.bump is Bump.MINOR and found.declared < Bump.MINOR:
        return False, f"Additions require MINOR version bump. {numbers}"
    if codes:
        first = next(iter(codes.values()))
        return False, f"{first.message}. {first.detail}"
    return True, "Version bump is valid"
