"""Fields of an Iceberg table that its schema requires, written without Spark, which can only relax them."""

import json
from collections.abc import Mapping

from pyiceberg.exceptions import CommitFailedException

from floe.model import TableError
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.iceberg.metadata import by_name

_MARK = "floe.protected"


def by_floe(target: Target, settings: Settings) -> list[str]:
    """The fields that floe made required."""
    table = by_name(str(target.name), settings) if target.name else None
    return [str(name) for name in json.loads(table.properties.get(_MARK, "[]"))] if table else []


def change(target: Target, settings: Settings, wanted: Mapping[str, bool]) -> str:
    """Make fields required, or optional again, and record which; or why the table cannot be changed."""
    if not wanted:
        return ""
    table = by_name(str(target.name), settings) if target.name else None
    if table is None:
        return "its catalog is not available without Spark"
    marked = {*by_floe(target, settings), *(name for name, sure in wanted.items() if sure)}
    marked -= {name for name, sure in wanted.items() if not sure}
    try:
        with table.transaction() as transaction:
            with transaction.update_schema(allow_incompatible_changes=True) as schema:
                for name, sure in wanted.items():
                    schema.update_column((name,), required=sure)
            transaction.set_properties({_MARK: json.dumps(sorted(marked))})
    except (CommitFailedException, ValueError) as error:
        raise TableError(
            f"{target} could not be changed: {str(error).splitlines()[0]}",
            "Run it again when no other writer changes the table",
        ) from None
    return ""
