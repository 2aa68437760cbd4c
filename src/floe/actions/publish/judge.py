"""Check a version against the registered ones, under the contract's lock."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from floe.actions.approve import approved
from floe.actions.compile.judge import Rulebook, apply_waivers, as_compiled
from floe.actions.diff import diff_effective, documents_hash
from floe.actions.diff.contract_set import read_changes_file
from floe.actions.diff.pairing import in_line
from floe.actions.publish.candidates import refuses
from floe.actions.publish.children import weaker_child
from floe.actions.publish.entry import notification, purpose_of
from floe.actions.publish.tested import Timing
from floe.contract.formats import read
from floe.lang.json_text import dumps
from floe.model import Contract, ContractError, Finding, Severity, locate
from floe.model.approval import Approval
from floe.model.change import Bump, Diff
from floe.model.contract import Version
from floe.model.lifecycle import refusal, settled, used
from floe.registry import outbox
from floe.registry.catalogs.message import catalog_message
from floe.registry.lifecycle import newest
from floe.registry.signoffs import BreakingStep, Consent, find_consent, find_consumers
from floe.registry.versions import Entry, RegisteredState, Row, find_children, find_same_file
from floe.settings import Settings
from floe.system.clock import stamp

FIRST = "FIRST"


@dataclass(frozen=True, slots=True)
class PublishVerdict:
    """What was decided about a version, and what people should know of it."""

    row: dict[str, Any]  # bump, changes, tested, effective_from
    diff: Diff | None
    notes: tuple[str, ...] = ()
    weaker: tuple[tuple[str, tuple[str, ...]], ...] = ()  # registered children that no longer comply, with causes


class Judge:
    """Decides about one version; afterwards `verdict` or `notice` have the result."""

    def __init__(self, entry: Entry, contract: Contract, settings: Settings, rules: Rulebook, now: datetime) -> None:
        self.entry, self.contract, self.settings, self.rules, self.now = entry, contract, settings, rules, now
        self.tested: Row = {"outcome": "not_tested"}
        self.approvals: Sequence[Approval] = ()
        self.verdict: PublishVerdict | None = None
        self.hash: str | None = None  # of what changes: what approvals and sign-offs name
        self.notice: tuple[BreakingStep, dict[str, Any]] | None = (
            None  # the notification that consumers must get before it is published
        )

    def decide(self, known: RegisteredState) -> Row:
        """The values of its row; ContractError with what is wrong where it is refused."""
        self._usable(known)
        diff, waiver = self.diff(known), None
        if diff:
            self.hash, waiver = diff.hash, self._waiver(known, diff)
            diff = replace(diff, findings=approved(diff.findings, waiver))
        counting = [
            finding for finding in (diff.findings if diff else ()) if not (waiver and finding.code == waiver.code)
        ]
        self._refuse([*self._owned(known), *self._parents(known), *counting])
        timing = Timing(self.contract, self.settings, self.rules, self.entry.key[0], self.now)
        breaking = bool(diff and diff.bump is Bump.MAJOR)
        start, late = timing.start(breaking)
        self._refuse(late)
        if diff and breaking:
            self._ask(known, diff, start, timing.notice_days)
        weaker = tuple(self._weaker(known))
        said = [f"{waiver.code} was approved by {waiver.approver}: {waiver.reason}"] if waiver else []
        said += [*timing.notes, *(diff.notes if diff else ()), *(f"{name} no longer complies" for name, _ in weaker)]
        changes = diff.to_dict() if diff else {}
        row = {"bump": str(diff.declared) if diff else FIRST, "changes": changes, "effective_from": start}
        self.verdict = PublishVerdict({**row, "tested": self.tested}, diff, tuple(said), weaker)
        return self.verdict.row

    def _waiver(self, known: RegisteredState, diff: Diff) -> Approval | None:
        """The approval of a breaking change under too small a version, by its hash from `floe ci` or publish."""
        if not any(finding.code == "E520" for finding in diff.findings):
            return None
        hashes = {diff.hash, *self._as_documents(known, diff)}
        fitting = [approval for approval in self.approvals if approval.code == "E520" and approval.diff in hashes]
        return next((approval for approval in fitting if approval.covers("E520", approval.diff, self.now.date())), None)

    def _as_documents(self, known: RegisteredState, diff: Diff) -> Iterator[str]:
        """The hash of the two documents as they were written."""
        texts = [row["document"] for row in known.versions if row["version"] == diff.old]
        old, new = (read(text, "")[0] for text in (texts[0], self.entry.version["document"]))
        if old and new:
            yield documents_hash(old, new, diff.migrations)

    def _usable(self, known: RegisteredState) -> None:
        """A retired MAJOR gets no new version (E572)."""
        name, major = self.entry.key[0], self.entry.version["major"]
        standing = newest(known.connection, name, major)
        ended = used(settled(standing, self.now.date()), name) if standing else None
        if ended and ended.code == "E572":
            raise refusal(ended)

    def accept(self, known: RegisteredState) -> Row:
        """Decide, and store the notifications of consumers and catalogs with the version in one transaction."""
        self.decide(known)
        assert self.verdict is not None
        name, at = self.entry.key[0], stamp(self.now)
        version = {**self.entry.version, **self.verdict.row}
        told = find_consumers(known.connection, name)
        messages: list[dict[str, Any]] = []
        if told:
            messages.append({"sink": "notification", "key": name, "payload": self._told(version, told)})
        for child, causes in self.verdict.weaker:
            said = {**self._told(version, [], "parent-tightened"), "child": child, "causes": list(causes)}
            messages.append({"sink": "notification", "key": child, "payload": said})
        first, purpose = next(iter(self.settings.catalogs), None), purpose_of(self.contract)
        messages.append(catalog_message(first, self.entry.contract, version, description=purpose, at=at))
        for message in messages:
            outbox.put(known.connection, **message, at=at)
        return self.verdict.row

    def _told(self, version: Row, consumers: Sequence[Row], kind: str = "version-published") -> dict[str, Any]:
        return notification(kind, version, self.verdict.diff if self.verdict else None, consumers)

    def diff(self, known: RegisteredState) -> Diff | None:
        """What changes since the version right below; None where there is none at all."""
        line = [contract for row in known.versions if (contract := registered(row))]
        if not line:
            return None
        changes_file = read_changes_file(self.contract)
        made = diff_effective(in_line(line, self.contract, changes_file), self.settings)
        made = replace(made, findings=(*made.findings, *changes_file.findings))
        hashes = [row["effective_hash"] for row in known.versions if row["version"] == made.old]
        return replace(made, hash=self._hash(hashes[0], made))

    def _hash(self, before: str, made: Diff) -> str:
        """The content of a sign-off: both effective contracts and the migration texts."""
        told = {path: dict(plan) for path, plan in made.migrations.items()}
        text = dumps([self.entry.key[0], before, self.entry.version["effective_hash"], told])
        return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _refuse(self, findings: Iterable[Finding]) -> None:
        found = [as_compiled(finding) for finding in findings]
        found = apply_waivers(found, self.rules, self.entry.key[0], self.now.date())
        wrong = tuple(finding for finding in found if refuses(finding, self.settings.data_contracts.enforcement))
        if wrong:
            raise ContractError(wrong[0].message, wrong[0].suggestion, wrong[0].code, wrong)

    def _owned(self, known: RegisteredState) -> Iterator[Finding]:
        """E524: the file held a contract of another name. E541: another repository has the contract."""
        before = None if known.versions else find_same_file(known.connection, self.entry)
        if before:
            yield self._finding(
                "E524",
                "identity-not-kept",
                f"The identity changed from '{before}' to '{self.entry.key[0]}'",
                "All versions of a contract keep it",
                f"Keep '{before}', or give the new contract its own id and deprecate the old one",
                "name",
            )
        owner = known.contract["repository"] if known.contract else None
        ours = self.entry.contract["repository"]
        if owner and owner != ours:
            yield self._finding(
                "E541",
                "owned-by-another-repository",
                f"Contract '{self.entry.key[0]}' is owned by another repository",
                f"Registered by '{owner}', published from '{ours or 'no known repository'}'",
                "Publish it from there, or transfer it: floe contracts transfer",
                "name",
            )

    def _parents(self, known: RegisteredState) -> Iterator[Finding]:
        """A child must inherit from the newest version of each of its parents."""
        newest = {row["contract_id"]: row for row in known.parents}
        for parent in self.entry.version["parents"]:
            row = newest.get(parent["contract"])
            if row and row["effective_hash"] != parent["effective_hash"]:
                yield self._stale(parent, row)

    def _stale(self, parent: Row, row: Row) -> Finding:
        mine, theirs = Version.read(parent["version"]), Version.read(row["version"])
        ahead = mine and theirs and mine > theirs
        return self._finding(
            "E516",
            "parent-not-newest",
            f"Parent '{parent['contract']}' is registered in another version than this contract inherits from",
            f"Registered: {row['version']} ({row['effective_hash']}), here: {parent['version']} ({parent['effective_hash']})",
            f"Publish {parent['contract']} first" if ahead else f"Inherit from {parent['contract']}:{row['version']}",
            "customProperties",
        )

    def _ask(self, known: RegisteredState, diff: Diff, start: str, days: int) -> None:
        """E525: consumers of a breaking change signed it off, know of it for long enough, or an owner overrode them."""
        name, version = self.entry.key
        step = BreakingStep(name, version, int(self.entry.version["major"]), diff.hash)
        consent = find_consent(known.connection, step)
        if not consent.missing or consent.override:
            return
        since = datetime.fromisoformat(consent.noticed_at) if consent.noticed_at else self.now
        deadline = (since + timedelta(days=days)).date()
        if consent.noticed_at and self.now.date() >= deadline:
            return
        message = notification(
            "breaking-change-ahead", {**self.entry.version, "effective_from": start}, diff, consent.consumers
        )
        self.notice = (step, {**message, "deadline": str(deadline)})
        self._refuse([self._unsigned(step, consent, str(deadline))])
        self.notice = None  # it was waived

    def _unsigned(self, step: BreakingStep, consent: Consent, deadline: str) -> Finding:
        teams = ", ".join(consent.missing)
        since = f"notified {consent.noticed_at[:10]}" if consent.noticed_at else "notified now"
        return self._finding(
            "E525",
            "sign-off-missing",
            f"Consumers of '{step.contract_id}' have not signed off {step.version}: {teams}",
            f"{since}, the notice period ends {deadline}; diff {step.diff_hash}",
            f"Ask them to sign off, wait until {deadline}, or ask the owner to override",
            "version",
        )

    def _weaker(self, known: RegisteredState) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Registered children that fall short of this version."""
        for row in find_children(known.connection, self.entry.key[0]):
            causes = weaker_child(row, self.contract, self.rules)
            if causes:
                yield f"{row['contract_id']}:{row['version']}", tuple(causes)

    def _finding(self, code: str, name: str, message: str, detail: str, suggestion: str, key: str) -> Finding:
        place = locate(self.contract.node, key)
        return Finding(code, name, Severity.ERROR, message, detail, suggestion, place, (key,))


def registered(row: Row) -> Contract | None:
    """The effective contract of a registered version."""
    contract, _ = read(row["effective"], row["source"] or f"registry:{row['contract_id']}:{row['version']}")
    return contract
