"""G1 and G8 rule-added, G2 rule-removed."""

from collections.abc import Iterator

from floe.contract.compat.kind import Delta, change
from floe.contract.compat.pairs import RulePair
from floe.contract.compat.rule_strength import new_fact, refuses
from floe.contract.compat.threshold import shown
from floe.model import QualityRule
from floe.model.change import Bump, Impact


@change("rule-added", "G1", bump=Bump.MINOR, reader=Impact.OK, writer=Impact.OK, value=RulePair)
def rule_added(pair: RulePair) -> Iterator[Delta]:
    """A quality rule is new.

    Why: readers gain a guarantee; where a gate refuses rows for it, batches that passed before may be refused.

    Fix: raise the MINOR version. If the rule is equal to required or unique, use those in a MAJOR version.
    """
    if not pair.new or pair.old or _on_its_field(pair, pair.new):
        return
    if pair.new.type == "text":
        yield Delta(row="G6", new=shown(pair.new), bump=Bump.PATCH, about=pair.new)
    elif fact := new_fact(pair):
        note = f"equals {fact}"
        yield Delta(row="G8", new=shown(pair.new), writer=Impact.BREAK, dangerous=True, note=note, about=pair.new)
    else:
        writer = Impact.BREAK if refuses(pair.new) else None
        yield Delta(new=shown(pair.new), writer=writer, about=pair.new)


@change("rule-removed", "G2", bump=Bump.MAJOR, reader=Impact.BREAK, writer=Impact.OK, value=RulePair)
def rule_removed(pair: RulePair) -> Iterator[Delta]:
    """A quality rule was removed.

    Why: readers depend on the guarantee.

    Fix: keep it, or publish a MAJOR version with a migration text.
    """
    if not pair.old or pair.new or _on_its_field(pair, pair.old):
        return
    if pair.old.type == "text":
        yield Delta(row="G6", old=shown(pair.old), bump=Bump.PATCH, reader=Impact.OK, about=pair.old)
    else:
        yield Delta(old=shown(pair.old), about=pair.old)


def _on_its_field(pair: RulePair, rule: QualityRule) -> bool:
    """Whether a rule is a field's list of values, which is judged there (rows K7 to K9)."""
    return pair.field is not None and rule.valid_values is not None
