"""Publish: compile contracts, test them on their tables, compare them with the registry, and register them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from floe.actions.approve import approvals
from floe.actions.compile.judge import rulebook
from floe.actions.load.settings import load_settings, start_of
from floe.actions.outbox import send_due
from floe.actions.publish.candidates import Candidate, FilePublisher, find_candidates
from floe.actions.publish.entry import (
    CREATED,
    REFUSED,
    REGISTERED,
    SKIPPED,
    UNCHECKED,
    WOULD,
    Published,
    PublishResult,
    broken,
    entry_of,
    from_row,
    not_tried,
    said,
    unchecked,
    unnamed,
)
from floe.actions.publish.judge import Judge
from floe.actions.publish.tested import Tested, Tester
from floe.model import Contract, ContractError, RegistryError, SettingError
from floe.model.change import Bump
from floe.registry import Store, find_store, open_store
from floe.registry.signoffs import give_notice
from floe.registry.versions import Row, find_registered, read_registered_state, refuse_other, register
from floe.settings import Settings
from floe.system.clock import stamp

_PARENT = "it has no domain and product: its expectations are registered with the contracts that extend it"
_NAMELESS = "default.default/"


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """How to publish."""

    dry_run: bool = False
    skip_test: str | None = None  # the reason
    accept: tuple[str, ...] = ()
    server: str | None = None


def publish(contract: str | Path | Contract, settings: Settings | None = None, **how: Any) -> Published:
    """Register a contract's version; ContractError where it is refused, the same row where it is registered already.

    Args:
        contract: its file, id, table_id, or the contract as it was loaded from its file.
        settings: those of its folder, unless given.
        how: dry_run, skip_test (a reason), accept, server.
    """
    settings = settings or load_settings(start=_start(contract))
    results = publish_all([contract], PublishOptions(**how), settings).results
    if len(results) != 1:
        raise ValueError(f"floe.publish registers one contract, not {len(results)}; `floe publish` takes folders")
    if not results[0].ok:
        first = results[0].findings[0]
        raise ContractError(first.message, first.suggestion, first.code, results[0].findings)
    return results[0]


def _start(contract: str | Path | Contract) -> Path | None:
    """The folder of the settings."""
    text = contract.source if isinstance(contract, Contract) else str(contract)
    return start_of(text) if "\n" not in text else None


def publish_all(
    paths: Sequence[str | Path | Contract],
    how: PublishOptions,
    settings: Settings,
    tell: Callable[[str], None] = lambda _: None,
    now: datetime | None = None,
) -> PublishResult:
    """Register the contracts of files, products and repositories, each in its own transaction."""
    if how.skip_test is not None and not how.skip_test.strip():
        raise SettingError("--skip-test has no reason", "Pass the reason why the contract is not tested on its table")
    with closing(_store(settings, how)) as store:
        candidates = find_candidates(paths, settings)
        extended = {
            file for candidate in candidates for file in candidate.compiled.files if file != candidate.compiled.document
        }
        press = _Publisher(store, settings, how, now or settings.clock(), extended)
        result = PublishResult(tuple(_published(candidates, press, tell)), how.dry_run)
    failed = any(finding.code == "E542" for published in result.results for finding in published.findings)
    if not (how.dry_run or failed) and any(published.outcome != REGISTERED for published in result.results):
        tell("notifying catalogs and consumers")
        for line in send_due(settings).said:
            settings.say(line)
    return result


def _published(
    candidates: Sequence[Candidate], press: "_Publisher", tell: Callable[[str], None]
) -> Iterator[Published]:
    there = find_registered(
        press.store, [(candidate.name, candidate.version) for candidate in candidates if candidate.compiled.summary]
    )
    lost: RegistryError | None = None  # the error that ended it; earlier results are still reported
    for number, one in enumerate(candidates, 1):
        row = there.get((one.name, one.version))
        known = Published(contract=one.name, version=one.version, outcome=REGISTERED, file=one.compiled.source)
        if row and _same(row, one):
            yield replace(known, **from_row(row))
        elif lost:
            yield replace(known, outcome=UNCHECKED, findings=(not_tried(known.file),))
        else:
            tell(f"{one.name} ({number} of {len(candidates)})")
            try:
                made = press.published(one)
            except RegistryError as error:
                if number == 1:
                    raise
                lost = error
                made = replace(known, outcome=UNCHECKED, findings=(said(error, known.file),))
            yield made


def _store(settings: Settings, how: PublishOptions) -> Store:
    """The registry; a dry run where nothing is registered yet leaves no file behind."""
    address = (settings.registry.url, settings.root)
    return (find_store(*address) or open_store("sqlite://", settings.root)) if how.dry_run else open_store(*address)


def _same(row: Row, candidate: Candidate) -> bool:
    summary = candidate.compiled.summary or {}
    return (row["document_hash"], row["effective_hash"]) == (summary["content_hash"], summary["effective_hash"])


def _own_table(judge: Judge, there: Sequence[Row]) -> int | None:
    """The MAJOR of a version where it, or one before it in its line, broke the MAJOR below."""
    major = int(judge.entry.version["major"])
    diff = judge.verdict.diff if judge.verdict else None
    bumps = [str(row["changes"].get("bump")) for row in there if row["major"] == major]
    broke = str(Bump.MAJOR) in [*bumps, str(diff.bump) if diff else ""]
    return major if broke and any(row["major"] < major for row in there) else None


class _Publisher:
    """Publishes one contract after another."""

    def __init__(
        self, store: Store, settings: Settings, how: PublishOptions, now: datetime, extended: set[str]
    ) -> None:
        self.store, self.settings, self.how, self.now, self.extended = store, settings, how, now, extended
        self.rules, self.publisher = rulebook(settings), FilePublisher(settings)
        self.approvals, wrong = approvals(settings, now.date())
        for finding in wrong:
            settings.say(f"! {finding.place}: {finding.message}. {finding.detail}. {finding.suggestion}")
        self.tester = Tester(settings, store, how.server, how.accept, not how.dry_run)

    def published(self, candidate: Candidate) -> Published:
        """What comes of a contract that is not registered as it is."""
        base = Published(
            contract=candidate.name, version=candidate.version, outcome=REFUSED, file=candidate.compiled.source
        )
        parent = candidate.compiled.document in self.extended
        if parent and candidate.name.startswith(_NAMELESS):
            return replace(base, outcome=SKIPPED, notes=(_PARENT,))
        # a contract that others extend need not obey the policies of products itself
        wrong = [
            finding
            for finding in candidate.refused(self.settings.data_contracts.enforcement)
            if not (parent and finding.code == "E515")
        ]
        if wrong or not candidate.compiled.summary:
            return replace(base, findings=tuple(wrong or candidate.findings))
        if candidate.name.startswith(_NAMELESS):
            return replace(base, findings=(unnamed(candidate.compiled.source, candidate.name),))
        entry, contract = entry_of(candidate, self.publisher, self.settings)
        judge = Judge(entry, contract, self.settings, self.rules, self.now)
        judge.approvals = self.approvals
        base = replace(base, **{key: entry.version[key] for key in ("document_hash", "effective_hash")})
        try:
            return self._judged(base, judge)
        except ContractError as error:
            self._give_notice(judge)
            return replace(base, findings=error.findings or (said(error, base.file),), diff_hash=judge.hash)
        except RegistryError as error:
            if error.code == "E542":
                raise
            return replace(base, findings=(said(error, base.file),))

    def _judged(self, base: Published, judge: Judge) -> Published:
        beside = self._look(judge)  # what is refused anyway is not tested
        tested = self._tested(judge, beside)
        judge.tested = tested.to_row()
        base = replace(base, tested=judge.tested)
        if tested.outcome == "fail":
            return replace(base, findings=tuple(broken(tested, judge.contract)))
        if tested.outcome == "not_evaluated":
            return replace(base, outcome=UNCHECKED, findings=(unchecked(tested, judge.contract),))
        if self.how.dry_run:
            return self._decided(base, judge, WOULD)
        row, new = register(self.store, judge.entry, judge.accept, actor=self.settings.actor, at=stamp(self.now))
        if not new:
            return replace(base, outcome=REGISTERED, **from_row(row))
        return replace(self._decided(base, judge, CREATED), **from_row(row))

    def _decided(self, base: Published, judge: Judge, outcome: str) -> Published:
        verdict = judge.verdict
        assert verdict is not None
        row = {key: verdict.row[key] for key in ("bump", "effective_from")}
        hashed = verdict.diff.hash if verdict.diff else None
        return replace(base, outcome=outcome, notes=verdict.notes, weaker=verdict.weaker, diff_hash=hashed, **row)

    def _look(self, judge: Judge) -> int | None:
        """Decide without a lock first; the MAJOR if it has its own table."""
        entry = judge.entry
        with read_registered_state(self.store, entry) as known:
            same = next((row for row in known.versions if row["version"] == entry.key[1]), None)
            if same:
                refuse_other(same, entry)
            judge.decide(known)
            return _own_table(judge, known.versions)

    def _tested(self, judge: Judge, beside: int | None) -> Tested:
        if self.how.skip_test is not None:
            return Tested("skipped", self.how.skip_test.strip())
        return self.tester.test(judge.contract, beside)

    def _give_notice(self, judge: Judge) -> None:
        """Notify consumers who must sign off, once; their notice period starts then."""
        if judge.notice and not self.how.dry_run:
            step, message = judge.notice
            with self.store.begin(writes=True) as connection:
                give_notice(connection, step, message, actor=self.settings.actor, at=stamp(self.now))
