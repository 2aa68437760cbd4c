"""How readers find the columns of Iceberg's data files that carry no field ids.

Files of Iceberg's own writers name their columns by id. Files of others (`add_files`, migrated tables, earlier floe)
have no ids, and readers find their columns by the table property `schema.name-mapping.default` as it is now. A rename or
a column of an old name changes that mapping, so another column of the file is read than before, while the statistics in
the manifests stay under the ids that the columns had when the file was added. So of a table with such a mapping the
statistics are trusted only of columns that never had another name or id, and what was measured of a column is remembered
by its names too. Whether a file has ids only its footer says, which is not read here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pyiceberg.table import Table
from pyiceberg.table.name_mapping import MappedField
from pyiceberg.types import NestedField, StructType

NAME_MAPPING = "schema.name-mapping.default"


def steady_columns(table: Table) -> tuple[NestedField, ...]:
    """The columns whose statistics are about the values that readers see."""
    fields = table.schema().fields
    mapping = table.name_mapping()
    if mapping is None:
        return fields
    known = {pair for schema in table.schemas().values() for pair in _paths(schema.fields)}
    return tuple(field for field in fields if _steady(field, known, list(mapping)))


def _paths(fields: Iterable[NestedField], before: str = "") -> Iterator[tuple[str, int]]:
    """The ids of columns and of the members of structs, by their dotted names."""
    for field in fields:
        path = f"{before}{field.name}"
        yield path, field.field_id
        if isinstance(field.field_type, StructType):
            yield from _paths(field.field_type.fields, f"{path}.")


def _steady(field: NestedField, known: set[tuple[str, int]], mapped: Sequence[MappedField], before: str = "") -> bool:
    """Whether a name and an id always meant each other, and still do; so for all members of a struct."""
    pair = (f"{before}{field.name}", field.field_id)
    if any((name == pair[0]) != (id_ == pair[1]) for name, id_ in known):
        return False
    near = [
        mapped_field
        for mapped_field in mapped
        if mapped_field.field_id == field.field_id or field.name in mapped_field.names
    ]
    if len(near) != 1 or near[0].field_id != field.field_id or list(near[0].names) != [field.name]:
        return False
    members = field.field_type.fields if isinstance(field.field_type, StructType) else ()
    return all(_steady(member, known, near[0].fields, f"{pair[0]}.") for member in members)


def column_identities(table: Table) -> Mapping[str, str]:
    """What makes a column that one: its id and type, and the names it has in files without ids."""
    mapping = table.name_mapping()
    names = {mapped_field.field_id: mapped_field.model_dump_json() for mapped_field in mapping or ()}
    return {
        field.name: " ".join(
            [str(field.field_id), repr(field.field_type), *([names.get(field.field_id, "")] if mapping else [])]
        )
        for field in table.schema().fields
    }
