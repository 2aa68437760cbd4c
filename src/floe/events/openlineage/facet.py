"""Facets of OpenLineage, and floe's own: each has its producer and its schema."""

from typing import Any

from floe.lang.json_text import dumps
from floe.lang.secret import masked
from floe.version import __version__

PRODUCER = f"https://floe.dev/floe-contracts/{__version__}"
EVENT_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_OFFICIAL = "https://openlineage.io/spec/facets"
_OWN = "https://floe.dev/schemas/openlineage"
_VERSIONS = {
    "SchemaDatasetFacet": f"{_OFFICIAL}/1-2-0",
    "SymlinksDatasetFacet": f"{_OFFICIAL}/1-0-1",
    "DatasetVersionDatasetFacet": f"{_OFFICIAL}/1-0-1",
    "DataQualityAssertionsDatasetFacet": f"{_OFFICIAL}/1-1-0",
    "OutputStatisticsOutputDatasetFacet": f"{_OFFICIAL}/1-0-2",
    "JobTypeJobFacet": f"{_OFFICIAL}/2-0-4",
    "ParentRunFacet": f"{_OFFICIAL}/1-2-0",
    "ContractViolationRunFacet": f"{_OWN}/1-0-0",
    "ContractStatusRunFacet": f"{_OWN}/1-0-0",
}


def facet(schema: str, **said: Any) -> dict[str, Any]:
    """A facet of a schema."""
    return {"_producer": PRODUCER, "_schemaURL": f"{_VERSIONS[schema]}/{schema}.json#/$defs/{schema}", **said}


def text(value: Any) -> str | None:
    """A value as facets hold it: text, without what opens doors.

    >>> text(3), text("at most 4h"), text(None), text(True)
    ('3', 'at most 4h', None, 'true')
    """
    if value is None:
        return None
    return str(masked(value)) if isinstance(value, str) else dumps(masked(value))
