"""Other ways to write contracts: each becomes an ODCS tree before it is read.

Most contracts are ODCS. What reads the dialects is imported with the first document that has a key of theirs.
"""

from typing import TYPE_CHECKING

from floe.system.lazy import lazy

if TYPE_CHECKING:
    from floe.contract.formats.dialects import convert as convert
else:
    __getattr__ = lazy(__name__, ("convert",))

# a document without any of them is in no dialect
KEYS = frozenset({"dataContractSpecification", "table_id", "metadata", "models"})
