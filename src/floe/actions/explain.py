"""Explain: what a code or name means, why it matters, and what to do."""

import difflib
import re
from dataclasses import dataclass

from floe.contract.compat import CHANGES
from floe.contract.compat.kind import ChangeKind
from floe.contract.compat.versions import VERSION_RULES
from floe.contract.lint import RULES
from floe.contract.lint.rule import Rule
from floe.engine.plan.expectations import EXPECTATIONS, RowExpectation
from floe.model import SettingError
from floe.model.codes import CODES, GATE, READING, Code

ENFORCEMENT = "enforcement"
ALL_CHANGES = "changes"
DOCUMENTED = (*RULES, *VERSION_RULES, *EXPECTATIONS)
_SHORT = READING | GATE
_CODE = re.compile(r"(?:FLOE[-_ ]?)?E?(5[0-9]{2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A code, the rules and expectations that say it, and what else is said under it: pairs of name and meaning."""

    code: Code
    rules: tuple[Rule | RowExpectation, ...]
    reading: tuple[tuple[str, str], ...]

    @property
    def help(self) -> str:
        """All of it in plain text."""
        names = [f"{name}: {meaning}" for name, meaning in self.reading]
        docs = [f"{rule.name} ({rule.severity}): {_joined(rule.doc)}" for rule in self.rules]
        return "\n\n".join([self.code.meaning, *names, *docs])


def _joined(doc: str) -> str:
    return "\n".join(line.strip() for line in doc.strip().splitlines() if line.strip())


def explain(word: str) -> Explanation:
    """What a code (E511, FLOE-E511, e511) or a name (bounds-contradict) means; SettingError where there is none."""
    asked = word.strip().lower()
    code = _CODE.fullmatch(asked)
    wanted = f"E{code[1]}" if code else ""
    found = next((explanation for explanation in explanations() if explanation.code.code == wanted), None)
    if found:
        return found
    for explanation in explanations():
        rules = tuple(rule for rule in explanation.rules if rule.name == asked)
        reading = tuple(entry for entry in explanation.reading if entry[0] == asked)
        if rules or reading:
            return Explanation(explanation.code, rules, reading)
    raise _unknown(word, wanted)


def kind_named(name: str) -> ChangeKind | None:
    """The kind of change of a name."""
    return next((kind for kind in CHANGES if kind.name == name), None)


def explanations() -> tuple[Explanation, ...]:
    """Every code there is, in order."""
    return tuple(
        Explanation(
            code,
            tuple(rule for rule in DOCUMENTED if rule.code == code.code),
            tuple((name, meaning) for name, (of, meaning) in _SHORT.items() if of == code.code),
        )
        for code in CODES
    )


def _unknown(word: str, wanted: str) -> SettingError:
    known = [*(code.code for code in CODES), *_SHORT, *(rule.name for rule in DOCUMENTED), ENFORCEMENT, ALL_CHANGES]
    known += [kind.name for kind in CHANGES]
    near = difflib.get_close_matches(wanted or word.lower(), known, 3, 0.5)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return SettingError(f"Unknown code or name '{word}'", f"{hint}`floe explain all` lists every code")
