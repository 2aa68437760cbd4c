"""ECMA-262 patterns, as contracts write them: read, carried over to Java, and their cost bounded.

Rules of lint import this package; its modules come with the first pattern.
"""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.lang.regex import cost as cost, pattern as pattern
else:
    __getattr__ = lazy(__name__, ("cost", "pattern"))
