"""What the gate is asked for one batch."""

from typing import TYPE_CHECKING, Any

from floe import engine
from floe.actions.enforce.context import WriteContext, declared
from floe.actions.verify.references import reference_targets
from floe.actions.verify.salt import salt_of
from floe.engine.plan.zone import zone_name
from floe.lang.secret import with_variables_hidden
from floe.model.features import as_of_field
from floe.model.result import Outcome
from floe.model.types import Atomic
from floe.tables.home import kept

if TYPE_CHECKING:
    from floe.engine.gate.request import WriteRequest


def write_request(context: WriteContext, staging: str, inputs: tuple[Outcome, ...]) -> "WriteRequest":
    """Everything the gate needs besides the rows."""
    settings, options = context.settings, context.options
    level = settings.data_contracts.enforcement
    quarantine = engine.gate.request.Quarantine.NONE
    if context.dataset.custom.get("onViolation") == "quarantine":
        quarantine = engine.gate.request.Quarantine.REFUSED if level == "off" else engine.gate.request.Quarantine.BROKEN
    dated = as_of_field(context.dataset) if context.layer == "gold" else None
    return engine.gate.request.WriteRequest(
        plan=context.plan,
        target=context.target,
        layer=context.layer,
        mode=options.mode,
        level=level,
        staging=staging,
        salt=salt_of(settings.root),
        contract=context.contract.identity,
        schema_version=engine.gate.schema_check.SchemaVersion(
            hash=context.schema_hash,
            version=context.schema_version,
            declared=declared(context.dataset) is not None,
            identity=_identity(context),
            before=_registered_identity(context),
        ),
        run_id=context.run_id,
        batch_id=options.batch_id,
        shadow=options.shadow,
        quarantine=quarantine,
        as_of=dated.column if dated else None,
        inputs=inputs,
        references=reference_targets(context.plan, context.contract, options.way.references, settings, context.store),
        settings=settings,
    )


def _identity(context: WriteContext) -> dict[str, Any]:
    """What tells rows of the table apart and what they stand for; it is kept in the table and compared at every write."""
    custom, dataset = context.dataset.custom, context.dataset
    found = {
        "primary key": list(context.plan.key),
        "partition columns": list(context.plan.partition),
        "join keys": custom.get("joinKeys"),
        "snapshot keys": custom.get("snapshotKeys"),
        "feature set": custom.get("featureSet"),
        "grain": " ".join(str(dataset.node.get("dataGranularityDescription") or "").split()).casefold(),
        "time zones": {
            field.path: zone_name(field) for field in dataset.walk() if field.type == Atomic("timestamp_ntz")
        },
    }
    return {name: value for name, value in found.items() if value or name in ("primary key", "partition columns")}


def _registered_identity(context: WriteContext) -> dict[str, Any]:
    """The keys and partition columns that the registry knows, where it knows this very table."""
    known = context.known or {}
    if not known or with_variables_hidden(context.target.name) != known.get("name"):
        return {}
    if not context.target.name and str(known.get("location")) not in (
        kept(str(context.target), context.settings.root),
        with_variables_hidden(str(context.target)),  # as an older floe kept it
    ):
        return {}
    return {"primary key": known["primary_keys"], "partition columns": known["partition_cols"]}
