"""The result of publishing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from floe.actions.publish.tested import Tested
from floe.model import Contract, Finding, FloeError, Place, Severity, locate

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
