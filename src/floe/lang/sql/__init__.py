"""SQL in contracts: whether a query only reads, other dialects as Spark SQL, and the only functions that quote names
and literals.

Rules of lint import this package; the modules they need come with the first query.
"""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.lang.sql import dialect as dialect, query as query
else:
    __getattr__ = lazy(__name__, ("dialect", "query"))
