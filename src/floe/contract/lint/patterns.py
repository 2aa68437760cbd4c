"""E507 pattern-can-hang and E506 pattern-invalid."""

from collections.abc import Iterator

from floe.contract.lint.views import RuleOf, is_open
from floe.model import Field, Step


def patterns(part: Field | RuleOf) -> Iterator[tuple[tuple[Step, ...], str]]:
    """The pattern of a field or rule, where it has one that can be judged."""
    if isinstance(part, Field):
        pattern, at = part.options.get("pattern"), ("logicalTypeOptions", "pattern")
    else:
        pattern, at = part.noun.arguments.get("pattern"), ("arguments", "pattern")
    if isinstance(pattern, str) and not is_open(pattern):
        yield at, pattern


def subject(part: Field | RuleOf) -> str:
    """What the pattern is about, as people say it."""
    return part.path if isinstance(part, Field) else part.subject
