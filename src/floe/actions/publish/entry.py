"""A compiled contract as the registry keeps it, the messages that go out with it, and the result of publishing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from floe.actions.publish.candidates import Candidate, FilePublisher
from floe.actions.publish.tested import Tested
from floe.contract.formats.odcs.write import write
from floe.contract.resolve.inherit import Effective
from floe.contract.sources.files import read_bytes
from floe.model import Contract, Field, Finding, FloeError, Noun, Place, Severity, locate
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
        for column in dataset.walk():
            path = f"{dataset.name}.{column.path}"
            if path not in said:
                said.add(path)
                yield {"contract_id": contract_id, "path": path, **_field(column)}


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


CREATED, REGISTERED, REFUSED = "created", "already registered", "refused"
WOULD, UNCHECKED, SKIPPED = "would be created", "not checked", "skipped"
_OUTCOMES = (CREATED, WOULD, REGISTERED, SKIPPED, UNCHECKED, REFUSED)
_ROW = ("bump", "document_hash", "effective_hash", "effective_from", "published_at", "published_by")


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The result for one contract."""

    contract: str
    version: str
    outcome: str
    file: str = ""
    bump: str | None = None
    document_hash: str | None = None
    effective_hash: str | None = None
    effective_from: str | None = None
    published_at: str | None = None
    published_by: str | None = None
    tested: Mapping[str, Any] = field(default_factory=dict)
    diff_hash: str | None = None  # what a sign-off names
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    weaker: tuple[tuple[str, tuple[str, ...]], ...] = ()  # registered children that no longer comply, with causes

    @property
    def id(self) -> str:
        """The identity it is registered under."""
        return f"{self.contract}:{self.version}" if self.version else self.contract

    @property
    def ok(self) -> bool:
        """Whether it is registered, or would be."""
        return self.outcome not in (REFUSED, UNCHECKED)

    def to_dict(self) -> dict[str, Any]:
        """One element of `results`."""
        kept = ("id", "contract", "version", "outcome", "file", *_ROW, "diff_hash")
        return {
            **{key: getattr(self, key) for key in kept},
            "tested": dict(self.tested),
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
            "children_not_complying": [{"contract": name, "causes": list(causes)} for name, causes in self.weaker],
        }


@dataclass(frozen=True, slots=True)
class PublishResult:
    """One result per contract."""

    results: tuple[Published, ...]
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """1 where something was refused, else 2 where something could not be checked."""
        outcomes = {published.outcome for published in self.results}
        if REFUSED in outcomes:
            return 1
        return 2 if UNCHECKED in outcomes else 0

    def to_dict(self) -> dict[str, Any]:
        """The shape other programs rely on."""
        counts = {word.replace(" ", "_"): sum(result.outcome == word for result in self.results) for word in _OUTCOMES}
        summary = {"contracts": len(self.results), "dry_run": self.dry_run, "ok": self.exit_code == 0, **counts}
        return {"results": [published.to_dict() for published in self.results], "summary": summary}


def from_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a registered version."""
    return {key: row[key] for key in (*_ROW, "tested")}


def unnamed(file: str, name: str) -> Finding:
    """The error for a contract without owner."""
    return Finding(
        "E501",
        "identity-missing",
        Severity.ERROR,
        f"'{name}' names neither domain nor product, so that it would clash with any other of its name",
        "",
        "Write domain and dataProduct, or keep it in a folder with floe.yaml",
        Place(file, 1, 1),
    )


def broken(tested: Tested, contract: Contract) -> Iterator[Finding]:
    """The expectations that the existing table violates."""
    place = locate(contract.node, "schema")
    for result in tested.results:
        for outcome in result.failed:
            if outcome.severity >= Severity.ERROR:
                text = outcome.message or f"{outcome.name} of '{outcome.field}'"
                said = f"Table: {result.location}" if result.location else ""
                advice = "Correct the table or the contract, or publish with --skip-test REASON"
                yield Finding(outcome.code, outcome.name, outcome.severity, text, said, advice, place)


def unchecked(tested: Tested, contract: Contract) -> Finding:
    """The finding for a table that could not be checked."""
    names = [outcome.id for result in tested.results for outcome in result.not_evaluated]
    more = " …" if len(names) > 5 else ""
    listed = f"Not evaluated: {', '.join(names[:5])}{more}" if names else ""
    return Finding(
        "E580",
        "test-not-evaluated",
        Severity.ERROR,
        f"'{contract.identity}' could not be tested: {tested.said}",
        listed,
        "Make the table reachable, name what may stay open with --accept ID, or publish with --skip-test REASON",
        locate(contract.node, "schema"),
    )


def said(error: FloeError, file: str) -> Finding:
    """A refusal of the registry as a finding."""
    return Finding(
        error.code or "E542",
        "version-registered-otherwise" if error.code == "E523" else "registry-refused",
        Severity.ERROR,
        error.message,
        "",
        error.suggestion,
        Place(file, 1, 1),
    )


def not_tried(file: str) -> Finding:
    """A contract that was to come after the registry went out of reach."""
    text = "It was not tried after the registry had failed"
    return Finding(
        "E542", "registry-refused", Severity.ERROR, text, "", "Publish again when it is back", Place(file, 1, 1)
    )
