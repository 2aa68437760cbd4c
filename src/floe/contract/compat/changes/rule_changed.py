"""G3 rule-tightened, rule-loosened and rule-moved, G4 rule-severity-raised and -lowered, G5 rule-rewritten, G6 rule-described."""

from collections.abc import Callable, Iterator
from typing import Any

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import RulePair
from floe.contract.compat.parts import differing
from floe.contract.compat.rule_strength import floe_parts, new_fact, severity
from floe.contract.compat.threshold import shown, threshold
from floe.contract.compat.token_equal import same_sql, same_text
from floe.contract.formats.odcs import OPERATORS
from floe.lang.json_text import plain
from floe.model import QualityRule
from floe.model.change import Bump, Impact

_JUDGED = ("type", "metric", "rule", "arguments", *OPERATORS, "unit", "severity", "query", "engine", "implementation")
_SAME: dict[str, Any] = {
    "bump": Bump.PATCH,
    "reader": Impact.OK,
    "writer": Impact.OK,
    "note": "the same for readers",
}
_POINT_IN_TIME: dict[str, Any] = {"row": "H3", "reader": Impact.BREAK, "writer": Impact.OK}
_BOUNDS = {
    "freshness": ("maxDelay",),
    "volume": ("minRowsPerDay", "maxRowsPerDay"),
    "range": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
}


@change("rule-tightened", "G3", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.BREAK, value=RulePair)
def rule_tightened(pair: RulePair) -> Iterator[Delta]:
    """A quality rule accepts less than before.

    Why: readers gain; data that passed before may fail.

    Fix: raise the MINOR version.
    """
    if _moved(pair) == "tightened":
        fact = new_fact(pair)
        yield _both(pair, dangerous=bool(fact), note=f"equals {fact}" if fact else "")


@change("rule-loosened", "G3", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=RulePair)
def rule_loosened(pair: RulePair) -> Iterator[Delta]:
    """A quality rule accepts more than before.

    Why: readers depend on the old threshold.

    Fix: keep the threshold, or publish a MAJOR version with a migration text.
    """
    if _moved(pair) == "loosened":
        yield _both(pair)


@change("rule-moved", "G3", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.BREAK, value=RulePair)
def rule_moved(pair: RulePair) -> Iterator[Delta]:
    """A quality rule accepts some values more and some fewer than before, or the values cannot be compared.

    Why: a guarantee for readers may be gone, and data that passed before may fail.

    Fix: keep the new threshold inside the old one, or publish a MAJOR version with a migration text.
    """
    match _moved(pair):
        case "moved":
            yield _both(pair)
        case "unknown":
            note = "the two thresholds cannot be compared"
            yield _both(pair, reader=Impact.RISK, writer=Impact.RISK, note=note)


def _moved(pair: RulePair) -> str:
    """How the accepted values differ: same, tightened, loosened, moved or unknown."""
    if not (pair.old and pair.new) or pair.old.type == "text" or _thresholds(pair.old) == _thresholds(pair.new):
        return "same"
    one, other = threshold(pair.old), threshold(pair.new)
    if one is None or other is None:
        return "unknown"
    if one.scale != other.scale and not (one.zero or other.zero):
        return "unknown"  # none is none, in rows and in percent
    return {
        (True, True): "same",
        (True, False): "tightened",
        (False, True): "loosened",
        (False, False): "moved",
    }[other.within(one), one.within(other)]


def _thresholds(rule: QualityRule) -> Any:
    """Everything of a rule that is a threshold."""
    own = {kind: part.get(key) for kind, part, key in _bounds(rule)}
    return plain(rule.operators), rule.unit, plain(own)


def _bounds(rule: QualityRule) -> Iterator[tuple[str, Any, str]]:
    for kind, keys in _BOUNDS.items():
        part = floe_parts(rule).get(kind)
        if isinstance(part, dict):
            yield from ((f"{kind}.{key}", part, key) for key in keys)


@change("rule-severity-raised", "G4", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.RISK, value=RulePair)
def rule_severity_raised(pair: RulePair) -> Iterator[Delta]:
    """The severity of a quality rule is higher.

    Why: batches that were written with a report may be refused.

    Fix: raise the MINOR version.
    """
    if not (pair.old and pair.new) or pair.old.type == "text":
        return
    old, new = severity(pair.old), severity(pair.new)
    if old is not None and new is not None and old < new:
        fact = new_fact(pair)
        yield _severities(pair, dangerous=bool(fact), note=f"equals {fact}" if fact else "")


@change("rule-severity-lowered", "G4", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=RulePair)
def rule_severity_lowered(pair: RulePair) -> Iterator[Delta]:
    """The severity of a quality rule is lower.

    Why: data that was refused may be written with only a message.

    Fix: keep the severity, or publish a MAJOR version with a migration text.
    """
    if not (pair.old and pair.new) or pair.old.type == "text":
        return
    old, new = severity(pair.old), severity(pair.new)
    if old is not None and new is not None and old > new:
        yield _severities(pair)
    elif (old is None or new is None) and pair.old.severity != pair.new.severity:
        note = "a severity outside info, warning, error, critical cannot be compared"
        yield _severities(pair, reader=Impact.RISK, writer=Impact.RISK, note=note)


@change("rule-rewritten", "G5", bump=Bump.MAJOR, reader=Impact.RISK, writer=Impact.RISK, value=RulePair)
def rule_rewritten(pair: RulePair) -> Iterator[Delta]:
    """The query, implementation or arguments of a quality rule changed.

    Why: no program can decide whether the new text accepts more or less.

    Fix: keep the rule and add a new one, or publish a MAJOR version.
    """
    if not (pair.old and pair.new):
        return
    for old, new, equal in _texts(pair, pair.old, pair.new):
        point_in_time = _POINT_IN_TIME if "pointInTime" in floe_parts(pair.old) else {}
        yield Delta(old=old, new=new, about=pair.new, **(_SAME if equal(old, new) else point_in_time))


def _texts(pair: RulePair, old: QualityRule, new: QualityRule) -> Iterator[tuple[Any, Any, Callable[[Any, Any], bool]]]:
    if old.query != new.query:
        yield old.query, new.query, same_sql
    one, other = _unbounded(old), _unbounded(new)
    if one != other:
        yield one, other, same_text
    listed = pair.field is not None and old.valid_values is not None
    if not listed and plain(old.arguments) != plain(new.arguments):
        yield plain(old.arguments) or None, plain(new.arguments) or None, same_text


def _unbounded(rule: QualityRule) -> Any:
    """The implementation without what is a threshold."""
    if not floe_parts(rule):
        return plain(rule.implementation)
    return {
        kind: {key: value for key, value in part.items() if key not in _BOUNDS.get(kind, ())}
        if isinstance(part, dict)
        else part
        for kind, part in plain(rule.implementation).items()
    }


@change("rule-described", "G6", bump=Bump.PATCH, reader=Impact.OK, writer=Impact.OK, value=RulePair)
def rule_described(pair: RulePair) -> Iterator[Delta]:
    """The name, dimension, description, schedule or another note of a quality rule changed.

    Why: people read it; the measurement stays the same.

    Fix: raise the PATCH version.
    """
    if pair.old and pair.new:
        # listed values are judged on their field
        listed = ("validValues",) if pair.field and pair.old.valid_values is not None else ()
        for part in differing(pair.old.node, pair.new.node, "quality", (*_JUDGED, *listed)):
            yield Delta(old=part.old, new=part.new, note=part.path, about=pair.new)


def _both(pair: RulePair, **more: Any) -> Delta:
    assert pair.old is not None
    assert pair.new is not None
    return Delta(old=shown(pair.old), new=shown(pair.new), about=pair.new, **more)


def _severities(pair: RulePair, **more: Any) -> Delta:
    assert pair.old is not None
    assert pair.new is not None
    old, new = (rule.severity or str(severity(rule)) for rule in (pair.old, pair.new))
    return Delta(old=old, new=new, about=pair.new, **more)
