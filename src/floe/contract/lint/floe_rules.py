"""Custom rules of engine floe: freshness, volume, range, referentialIntegrity, pointInTime."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from floe.contract.lint.views import RuleOf

POINT_IN_TIME = re.compile(r"\s*([\w.`$]+)\s*(<=|<)\s*([\w.`$]+)\s*")


def parts(part: RuleOf) -> Iterator[tuple[str, Any]]:
    """Each kind that a rule of engine floe names, with its arguments."""
    if part.noun.type == "custom" and str(part.noun.engine).lower() == "floe":
        if isinstance(part.noun.implementation, Mapping):
            yield from part.noun.implementation.items()
        else:
            yield "", part.noun.implementation
