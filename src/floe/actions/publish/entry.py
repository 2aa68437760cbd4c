"""A compiled contract as the registry keeps it, and the messages that go out with it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from floe.actions.publish.candidates import Candidate, FilePublisher
from floe.contract.formats.odcs.write import write
from floe.contract.resolve.inherit import Effective
from floe.contract.sources.files import read_bytes
from floe.model import Contract, Field, Noun
from floe.model.change import Diff
from floe.model.contract import Version
from floe.registry.versions import Entry
from floe.settings import Settings


def entry_of(candidate: Candidate, publisher: FilePublisher, settings: Settings) -> tuple[Entry, Contract]:
    """The rows of a version, and the effective contract they are about."""
    resolved = candidate.resolved()
    made = resolved.effective
    assert made is not None
    contract, name = made.contract, candidate.name
    texts = {"document": _document(candidate, resolved.document or contract), "effective": write(contract, None)}
    version = {**_version(candidate, contract), **texts, "parents": _parents(made, publisher)}
    version["source"] = _source(candidate, settings)
    major = int(version["major"])
    tables = [
        {"contract_id": name, "major": major, "dataset": dataset.name, "table_id": contract.table_id(dataset)}
        for dataset in contract.datasets
    ]
    return Entry(_contract(candidate, contract), version, list(_fields(name, contract)), tables), contract


def _version(candidate: Candidate, contract: Contract) -> dict[str, Any]:
    summary, number = candidate.compiled.summary, Version.read(contract.version)
    assert summary is not None
    assert number is not None
    return {
        "contract_id": candidate.name,
        "version": contract.version,
        "major": number.major,
        "minor": number.minor,
        "patch": number.patch,
        "document_hash": summary["content_hash"],
        "effective_hash": summary["effective_hash"],
        "schema_hash": summary["schema_hash"],
    }


def _document(candidate: Candidate, document: Contract) -> str:
    """The file as it was written; the text of the port if there is no file."""
    if not candidate.compiled.document:
        return write(document, None)
    return read_bytes(Path(candidate.compiled.document)).decode("utf-8-sig", "surrogateescape")


def _source(candidate: Candidate, settings: Settings) -> str:
    """The file as seen from the contract root."""
    path = Path(candidate.compiled.document or Path(candidate.compiled.folder) / "floe.yaml")
    root = settings.root.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _parents(made: Effective, publisher: FilePublisher) -> list[dict[str, Any]]:
    """All it inherits from, nearest first, as each would be registered itself."""
    found = []
    for ancestor in dict.fromkeys(reversed([contract.source for contract in made.ancestors])):
        parent = publisher.candidate(Path(ancestor).resolve())
        if parent.compiled.summary:
            hashed = parent.compiled.summary["effective_hash"]
            found.append({"contract": parent.name, "version": parent.version, "effective_hash": hashed})
    return found


def _contract(candidate: Candidate, contract: Contract) -> dict[str, Any]:
    prefix, name = candidate.name.rsplit("/", 1)
    domain, product = contract.domain or "default", contract.product or prefix.rsplit(".", 1)[-1]
    return {
        "contract_id": candidate.name,
        "odcs_id": contract.id,
        "domain": domain,
        "product": product,
        "name": name,
        "repository": candidate.repository,
        "owner": contract.owner or None,
        "tags": sorted({str(tag) for noun in contract.walk() for tag in _tags(noun)}),
        "found_by": " ".join(dict.fromkeys(_words(contract, candidate.name))).lower(),
    }


def _tags(noun: Noun) -> list[Any]:
    tags = noun.node.get("tags")
    return tags if isinstance(tags, list) else []


def _fields(contract_id: str, contract: Contract) -> Iterator[dict[str, Any]]:
    said: set[str] = set()
    for dataset in contract.datasets:
        for field in dataset.walk():
            path = f"{dataset.name}.{field.path}"
            if path not in said:
                said.add(path)
                yield {"contract_id": contract_id, "path": path, **_field(field)}


def _field(field: Field) -> dict[str, Any]:
    tags = field.node.get("tags")
    return {
        "name": field.name,
        "type": str(field.type),
        "classification": field.classification,
        "tags": [str(tag) for tag in tags] if isinstance(tags, list) else [],
    }


def _words(contract: Contract, name: str) -> Iterator[str]:
    """What a contract can be found by."""
    yield from (name, contract.id, contract.owner, *(contract.table_id(dataset) or "" for dataset in contract.datasets))
    for noun in contract.walk():
        node = noun.node
        for key in ("name", "physicalName", "businessName", "classification", "username"):
            if isinstance(node.get(key), str):
                yield node[key]
        yield from _texts(node.get("description"))
        yield from _texts(node.get("tags"))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each_one in value.values() if isinstance(value, dict) else value:
            yield from _texts(each_one)


def notification(
    kind: str, version: Mapping[str, Any], diff: Diff | None, consumers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A message to consumers: what changes, what they must do, and when it takes effect.

    `kind` is version-published, breaking-change-ahead, or parent-tightened.
    """
    told = ("consumer_id", "team", "contact", "major", "version_range", "columns")
    return {
        "kind": kind,
        "contract": version["contract_id"],
        "version": version["version"],
        "from": diff.old if diff else None,
        "bump": str(diff.bump) if diff else "NONE",
        "rollout": diff.rollout if diff else "none",
        "consumer_impact": diff.consumer_impact if diff else "no impact",
        "effective_from": version.get("effective_from"),
        "diff_hash": diff.hash if diff else None,
        "breaking_changes": diff.breaking_changes if diff else [],
        "compatible_changes": diff.compatible_changes if diff else [],
        "consumers": [{key: consumer[key] for key in told} for consumer in consumers],
    }


def purpose_of(contract: Contract) -> str:
    """The metadata of a contract."""
    described = contract.node.get("description")
    purpose = described.get("purpose") if isinstance(described, dict) else described
    return str(purpose or "")
