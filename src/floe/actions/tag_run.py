"""Tag a training run with the schema of the features it was trained on."""

from datetime import date, datetime
from pathlib import Path

from floe import engine, registry, tables
from floe.actions.load.find import find_contract
from floe.actions.load.settings import load_settings
from floe.model import Contract, TableError
from floe.model.contract import FeatureVersion, as_of_field
from floe.model.result import WriteResult
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_target


def tag_run(
    source: str | Path | Contract | WriteResult,
    run_id: str | None = None,
    *,
    as_of: date | str | None = None,
    settings: Settings | None = None,
) -> dict[str, str]:
    """Tag an MLflow run with the schema its features have, and give the tags; no Spark is needed.

    Args:
        source: a Gold contract by any of its names, or what floe.enforce gave for the snapshot.
        run_id: the run; the active one where not given.
        as_of: the day of the snapshot trained on; the newest in the table where not given.
        settings: read from the folder's manifest.yaml and the environment where not given.
    """
    tags = (
        _of_result(source) if isinstance(source, WriteResult) else _of_table(source, as_of, settings or load_settings())
    )
    engine.spark.mlflow.set_tags(run_id, tags)
    return tags


def _of_result(result: WriteResult) -> dict[str, str]:
    if not result.feature_version:
        raise TableError(
            f"Nothing was written to {result.table} that features could be taken of", "Write a Gold snapshot first"
        )
    return _tags(result.table, str(result.feature_version), str(result.schema_version), str(result.schema_hash))


def _of_table(name: str | Path | Contract, as_of: date | str | None, settings: Settings) -> dict[str, str]:
    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset) or dataset.name
    known = registry.open_store(settings.registry.url, settings.root).table(table_id)
    target = find_target(settings, contract, dataset, TableSelector(), known)
    facts = tables.probe(target, settings)
    version = facts.properties.get("floe.schema_version", "") if facts else ""
    if not facts or not version.isdigit():
        said = "does not say its schema_version" if facts else "does not exist"
        raise TableError(f"{target} {said}", f"Write {table_id} by `floe enforce` first")
    dated = as_of_field(dataset)
    bounds = [file.most.get(dated.column) for file in facts.files or ()] if dated else []
    day = date.fromisoformat(as_of) if isinstance(as_of, str) else as_of or _newest(bounds)
    if day is None:
        raise TableError(f"The newest snapshot of {target} is not known from its log", "Pass as_of=")
    digest = facts.properties.get("floe.schema_hash", "")
    return _tags(table_id, str(FeatureVersion(table_id, day, int(version), digest)), version, digest)


def _newest(bounds: list[object]) -> date | None:
    """The newest day of all files; None if a file has none."""
    days = [bound.date() if isinstance(bound, datetime) else bound for bound in bounds]
    known = [day for day in days if isinstance(day, date)]
    return max(known) if known and len(known) == len(days) else None


def _tags(table_id: str, feature_version: str, version: str, digest: str) -> dict[str, str]:
    return {
        "feature_schema_version": version,
        "feature_schema_hash": digest,
        "feature_version": feature_version,
        "feature_table": table_id,
    }
