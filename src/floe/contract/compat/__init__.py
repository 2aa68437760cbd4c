"""Kinds of change: what does a version change, and for whom?"""

from floe.contract.compat.field_added import field_added, required_field_added
from floe.contract.compat.field_removed import field_removed

CHANGES = (
    field_added,
    required_field_added,
    field_removed,
)
