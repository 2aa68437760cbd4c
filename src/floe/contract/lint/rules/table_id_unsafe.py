"""E507 table-id-unsafe."""

import re
from collections.abc import Iterator

from floe.contract.lint.rule import rule
from floe.contract.lint.views import DatasetOf, is_open, shown
from floe.model import LAYERS, Message, Severity, Step

_PATH = re.compile(r"[/\\]|\.\.")


@rule("E507", "table-id-unsafe", Severity.ERROR, value=DatasetOf)
def table_id_unsafe(part: DatasetOf) -> Iterator[Message]:
    """A part of the dataset's table_id is a path.

    Why: floe looks for the contract of `layer.domain.table` at contracts/layer/domain/table.yaml, and a path would lead
    elsewhere.

    Fix: use letters, digits, underscores and hyphens in the layer, the domain and the table name.
    """
    for text, at in _parts(part):
        if isinstance(text, str) and _PATH.search(text) and not is_open(text):
            yield Message(
                f"'{shown(text)}' is a path, not a part of a table_id",
                f"The dataset '{part.noun.name}' is found by layer.domain.table",
                "Use letters, digits, underscores and hyphens",
                at=at,
                about=part.names.contract,
            )


def _parts(part: DatasetOf) -> Iterator[tuple[object, tuple[Step, ...]]]:
    """What the table_id is made of: the layer where it is said, the domain, and a physical name that begins with a layer or leads upwards."""
    dataset, contract = part.noun, part.names.contract
    physical = dataset.physical_name or ""
    if contract.layer(dataset) is None:
        return
    for holder, at in ((dataset, dataset.at), (contract, ())):
        entries = holder.node.get("customProperties")
        for i, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and entry.get("property") == "layer":
                yield entry.get("value"), (*at, "customProperties", i, "value")
    if dataset is contract.datasets[0]:
        yield contract.domain, ("domain",)
    if physical.split(".")[0] in LAYERS or ".." in physical.replace("\\", "/").split("/"):
        yield physical, (*dataset.at, "physicalName")
