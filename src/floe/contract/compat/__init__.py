"""Kinds of change: what does a version change, and for whom?"""

from floe.contract.compat.bounds import bound_loosened, bound_tightened
from floe.contract.compat.classification_changed import classification_changed
from floe.contract.compat.enum import (
    enum_dropped,
    enum_imposed,
    enum_reordered,
    enum_value_added,
    enum_value_removed,
)
from floe.contract.compat.field_added import field_added, required_field_added
from floe.contract.compat.field_facts import (
    critical_element_changed,
    default_changed,
    encrypted_name_changed,
    transform_logic_changed,
)
from floe.contract.compat.field_removed import field_removed
from floe.contract.compat.field_renamed import field_case_changed, field_renamed, physical_name_changed
from floe.contract.compat.fields_reordered import columns_reordered, members_reordered
from floe.contract.compat.keys import partition_changed, primary_key_changed
from floe.contract.compat.nullability import (
    element_made_optional,
    element_made_required,
    field_made_optional,
    field_made_required,
)
from floe.contract.compat.type_changed import timezone_changed, type_changed
from floe.contract.compat.uniqueness import (
    field_made_repeatable,
    field_made_unique,
    items_made_repeatable,
    items_made_unique,
)
from floe.contract.compat.written_form import (
    format_changed,
    format_removed,
    multiple_loosened,
    multiple_tightened,
    pattern_changed,
    pattern_removed,
)

CHANGES = (
    # C, columns and nested fields
    field_removed,
    field_added,
    required_field_added,
    field_renamed,
    physical_name_changed,
    columns_reordered,
    members_reordered,
    field_made_required,
    field_made_optional,
    field_case_changed,
    # D, what a field holds
    type_changed,
    timezone_changed,
    element_made_required,
    element_made_optional,
    # K, constraints, keys, classification
    bound_tightened,
    bound_loosened,
    pattern_changed,
    pattern_removed,
    format_changed,
    format_removed,
    multiple_tightened,
    multiple_loosened,
    items_made_unique,
    items_made_repeatable,
    enum_value_added,
    enum_value_removed,
    enum_imposed,
    enum_dropped,
    enum_reordered,
    field_made_unique,
    field_made_repeatable,
    primary_key_changed,
    partition_changed,
    classification_changed,
    encrypted_name_changed,
    transform_logic_changed,
    default_changed,
    critical_element_changed,
)
