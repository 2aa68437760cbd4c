"""Notifications: messages to people, for every channel."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floe.lang.secret import masked
from floe.model.codes import BY_CODE
from floe.model.finding import Severity
from floe.model.violation_type import VIOLATION_TYPES

# what may leave floe in a message to people: facts on contracts, no values of rows, no addresses of consumers
_KEPT = (
    *("kind", "contract", "version", "dataset", "table", "code", "name", "element", "severity", "violation_type"),
    *(
        "message",
        "expected",
        "actual",
        "count",
        "run_id",
        "event",
        "status",
        "since",
        "until",
        "owner",
        "support",
        "state",
        "was",
    ),
    *("major", "announced", "sunset_date", "retire_date", "replacement", "reason", "migration_guide"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """A notification: the event, its contract, its severity, and its payload."""

    id: str
    at: str
    kind: str
    contract: str
    severity: Severity
    message: str
    data: Mapping[str, Any]

    @classmethod
    def of(cls, payload: Mapping[str, Any], *, id_: str, at: str, key: str) -> "Notification":
        """A notice from the outbox's payload, whoever put it there; what is not known to be harmless stays behind."""
        data = {name: masked(payload[name], name) for name in _KEPT if payload.get(name) is not None}
        if payload.get("event"):
            data |= _of_incident(payload)
        code = str(data.get("code", "")).removeprefix("FLOE-")
        if code in VIOLATION_TYPES:
            data.setdefault("violation_type", VIOLATION_TYPES[code])
        severity = _severity(data.get("severity"), code)
        data |= {"contract": str(data.get("contract") or key), "severity": str(severity)}
        message = str(data.get("message") or data.get("kind") or "")
        kind = str(data.get("kind") or "notice")
        return cls(id=id_, at=at, kind=kind, contract=data["contract"], severity=severity, message=message, data=data)

    @property
    def resolved(self) -> bool:
        """Whether it reports the end of a problem."""
        return self.data.get("status") == "resolved"

    @property
    def title(self) -> str:
        """One line: how bad, which code, which contract."""
        words = ("resolved" if self.resolved else str(self.severity), self.data.get("code"), self.contract)
        version = self.data.get("version")
        return " ".join(str(word) for word in (*words, version) if word)


def _of_incident(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Its start and end, in the form of all messages; a message with an end is resolved."""
    over = payload["event"] == "closed"
    said = {"event": payload["event"], "since": payload.get("opened_at"), "until": payload.get("closed_at")}
    said["status"] = "resolved" if over else "firing"
    return {name: value for name, value in said.items() if value is not None}


def _severity(word: Any, code: str) -> Severity:
    """Its own severity, else that of its code."""
    usual = BY_CODE[code].severity if code in BY_CODE else Severity.INFO
    return {str(severity): severity for severity in Severity}.get(str(word).lower(), usual)
