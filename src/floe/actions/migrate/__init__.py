"""Migrate: from one MAJOR to the next: a new table, its rows, and a view with the old schema."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from floe import engine, registry
from floe.actions.diff import diff
from floe.actions.diff.contract_set import load_set, refuse_broken
from floe.actions.enforce import enforce
from floe.actions.load.find import find_contract
from floe.actions.publish.tested import versioned
from floe.contract.compat.pairs import earlier
from floe.lang.sql.literals import quote
from floe.model import Contract, ContractError, Dataset, Field, SettingError
from floe.model.change import Bump
from floe.model.contract import Target, Version
from floe.model.result import WriteResult
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """The migration to the next MAJOR as SQL, and the result if it was run."""

    contract: str
    old: str
    new: str
    source: str
    target: str
    create: str
    backfill: str
    view: str
    view_name: str | None
    changes: tuple[str, ...]
    missing: tuple[str, ...] = ()
    rows: tuple[Target, tuple[str, ...]] | None = None  # the backfill's table and columns
    result: WriteResult | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        return {
            "contract": self.contract,
            "from": self.old,
            "to": self.new,
            "source": self.source,
            "target": self.target,
            "changes": list(self.changes),
            "missing": list(self.missing),
            "steps": {"create": self.create, "backfill": self.backfill, "view": self.view},
            "result": self.result.to_dict() if self.result else None,
            "notes": list(self.notes),
        }


def migrate(
    name: str,
    old: str | None,
    settings: Settings,
    *,
    way: TableSelector,
    fill: Mapping[str, str] | None = None,
    run: bool = False,
) -> Migration:
    """Plan the migration from an older MAJOR, and run it if requested; a repeat continues after an interruption."""
    now, dataset = find_contract(name, settings)
    before = _older(now, old, settings)
    then = next((value for value in before.datasets if value.name == dataset.name), before.datasets[0])
    found = diff(before, now, settings)
    if found.bump is not Bump.MAJOR and not _raised(before, now):
        raise ContractError(
            f"{before.version} to {now.version} is {found.bump}: no migration is needed",
            "Write with `floe enforce`, which adds new columns itself; for other partition columns raise the MAJOR version",
            "E520",
        )
    plan = _plan(now, dataset, (before, then), way, settings, dict(fill or {}))
    plan = replace(
        plan, changes=tuple(f"{change.change} {change.path}" for change in found.changes if change.bump is Bump.MAJOR)
    )
    if not run:
        return plan
    if plan.missing:
        raise ContractError(
            f"The required columns {', '.join(plan.missing)} have no value for old rows",
            "Pass --fill COLUMN=SQL, e.g. --fill currency=\"'EUR'\"",
            "E528",
        )
    return _run(plan, now, settings)


def _raised(before: Contract, now: Contract) -> bool:
    """Whether the new version is of a higher MAJOR, whatever its changes need."""
    then, version = Version.read(before.version), Version.read(now.version)
    return bool(then and version and version.major > then.major)


def _older(now: Contract, old: str | None, settings: Settings) -> Contract:
    if old is None and not Path(now.source).is_file():
        raise SettingError("The older version is unknown", "Pass --from: a file or git:REV:path")
    older = load_set(old or f"git:HEAD:{Path(now.source).resolve().relative_to(Path.cwd().resolve())}", settings)
    refuse_broken(older)
    same = [
        contract
        for contract in older.contracts
        if contract.identity.rsplit(":", 1)[0] == now.identity.rsplit(":", 1)[0]
    ]
    if not same:
        raise ContractError(
            f"{older.name} is not an older version of {now.identity}", "Pass the older version with --from", "E500"
        )
    return same[0]


def _plan(
    now: Contract,
    dataset: Dataset,
    before: tuple[Contract, Dataset],
    way: TableSelector,
    settings: Settings,
    fill: dict[str, str],
) -> Migration:
    older, then = before
    table_id = now.table_id(dataset) or dataset.name
    known = registry.open_store(settings.registry.url, settings.root).table(table_id)
    version = Version.read(now.version)
    major = version.major if version else 0
    source = _unversioned(find_target(settings, older, then, way, known), major)
    target = versioned(source, major)
    old_names = dict(zip((field.column for field in dataset.fields), earlier(then.fields, dataset.fields), strict=True))
    selected = _backfill(dataset, then, old_names, fill)
    columns_of_old = tuple(text for _, text in selected if text)
    return Migration(
        contract=now.identity.rsplit(":", 1)[0],
        old=older.version,
        new=now.version,
        source=str(source),
        target=str(target),
        create=f"CREATE TABLE IF NOT EXISTS {target.sql} ({_column_list(dataset)}) USING {target.format}",
        backfill=f"SELECT {', '.join(columns_of_old)} FROM {source.sql}",
        view=f"SELECT {_view_columns(dataset, then, old_names)} FROM {target.sql}",
        view_name=f"{source.name}_v{older.version.split('.')[0]}_compat" if source.name else None,
        changes=(),
        missing=tuple(column for column, text in selected if text is None),
        rows=(source, columns_of_old),
    )


def _column_list(dataset: Dataset) -> str:
    """The columns of a dataset as CREATE TABLE lists them."""
    return ", ".join(
        f"{quote(field.column)} {field.type}{' NOT NULL' if field.required else ''}" for field in dataset.fields
    )


def _backfill(
    dataset: Dataset, then: Dataset, old_names: Mapping[str, str | None], fill: Mapping[str, str]
) -> list[tuple[str, str | None]]:
    """The new columns, each with its SQL over the old table; None if a required one has no value."""
    old_fields = {field.column: field for field in then.fields}
    return [
        (field.column, _selected(field, old_fields.get(old_names[field.column] or ""), fill))
        for field in dataset.fields
    ]


def _view_columns(dataset: Dataset, then: Dataset, old_names: Mapping[str, str | None]) -> str:
    """The old columns as SQL over the new table."""
    new_names = {old: new for new, old in old_names.items() if old is not None}
    new_fields = {field.column: field for field in dataset.fields}
    return ", ".join(_viewed(field, new_fields.get(new_names.get(field.column, ""))) for field in then.fields)


def _unversioned(target: Target, major: int) -> Target:
    """The source table: if the registry has the new table, the old one keeps its name."""
    suffix = f"_v{major}"
    name = target.name.removesuffix(suffix) if target.name else None
    return replace(target, name=name, path=target.path.removesuffix(suffix) if target.path else None)


def _selected(field: Field, before: Field | None, fill: Mapping[str, str]) -> str | None:
    """A new column from the old table; None if it has no value."""
    if field.column in fill:
        return f"CAST({fill[field.column]} AS {field.type}) AS {quote(field.column)}"
    if before is None:
        return None if field.required else f"CAST(NULL AS {field.type}) AS {quote(field.column)}"
    return _cast(before, field)


def _viewed(before: Field, field: Field | None) -> str:
    """An old column from the new table."""
    if field is None:
        return f"CAST(NULL AS {before.type}) AS {quote(before.column)}"
    return _cast(field, before)


def _cast(source: Field, wanted: Field) -> str:
    value = quote(source.column)
    if str(source.type) != str(wanted.type):
        value = f"CAST({value} AS {wanted.type})"
    return f"{value} AS {quote(wanted.column)}"


def _run(plan: Migration, now: Contract, settings: Settings) -> Migration:
    """Write the old rows through the new contract's gate, once, then make the view."""
    batch = f"migrate:{plan.old}:{plan.new}"
    assert plan.rows is not None
    source, columns = plan.rows
    rows = engine.spark.migrate.rows_of(source, columns, settings)
    result = enforce(rows, now, table=plan.target, batch_id=batch, settings=settings)
    note = engine.spark.migrate.make_view(plan.view_name, plan.view, settings)
    return replace(plan, result=result, notes=(note,) if note else ())
