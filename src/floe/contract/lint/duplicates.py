"""E508 names and ids that stand twice."""

from collections.abc import Iterator, Sequence

from floe.contract.lint.views import fold
from floe.model import Message, Step


def named_twice(names: Sequence[tuple[str, tuple[Step, ...]]]) -> Iterator[Message]:
    """Each name that stood before, as it is compared: without case, in one Unicode form."""
    seen: dict[str, str] = {}
    for name, at in names:
        folded = fold(name)
        if folded in seen:
            first = seen[folded]
            yield Message(
                f"Name '{name}' is used again" if first == name else f"'{name}' and '{first}' count as the same name",
                f"first '{first}', then '{name}'",
                "Rename or remove one of the two",
                at=at,
            )
        seen.setdefault(folded, name)
