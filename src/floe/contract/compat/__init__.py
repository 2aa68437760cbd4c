"""Kinds of change: what does a version change, and for whom?"""

from floe.contract.compat.changes.api_version_changed import api_version_changed
from floe.contract.compat.changes.bounds import bound_loosened, bound_tightened
from floe.contract.compat.changes.classification_changed import classification_changed
from floe.contract.compat.changes.enum import (
    enum_dropped,
    enum_imposed,
    enum_reordered,
    enum_value_added,
    enum_value_removed,
)
from floe.contract.compat.changes.field_added import field_added, required_field_added
from floe.contract.compat.changes.field_facts import (
    critical_element_changed,
    default_changed,
    encrypted_name_changed,
    transform_logic_changed,
)
from floe.contract.compat.changes.field_removed import field_removed
from floe.contract.compat.changes.field_renamed import field_case_changed, field_renamed, physical_name_changed
from floe.contract.compat.changes.fields_reordered import columns_reordered, members_reordered
from floe.contract.compat.changes.gold_changed import feature_added, gold_keys_changed
from floe.contract.compat.changes.identity_changed import identity_changed
from floe.contract.compat.changes.keys import partition_changed, primary_key_changed
from floe.contract.compat.changes.lifecycle_changed import lifecycle_changed
from floe.contract.compat.changes.measure_changed import (
    dimension_added,
    dimension_changed,
    dimension_removed,
    measure_added,
    measure_changed,
    measure_removed,
)
from floe.contract.compat.changes.metadata_changed import metadata_changed, respelled
from floe.contract.compat.changes.nullability import (
    element_made_optional,
    element_made_required,
    field_made_optional,
    field_made_required,
)
from floe.contract.compat.changes.owner_changed import owner_changed
from floe.contract.compat.changes.parent_changed import parent_changed
from floe.contract.compat.changes.price_changed import price_changed
from floe.contract.compat.changes.relationship_changed import relationship_added, relationship_removed
from floe.contract.compat.changes.role_changed import role_added, role_changed, role_removed
from floe.contract.compat.changes.rule_added import rule_added, rule_removed
from floe.contract.compat.changes.rule_changed import (
    rule_described,
    rule_loosened,
    rule_moved,
    rule_rewritten,
    rule_severity_lowered,
    rule_severity_raised,
    rule_tightened,
)
from floe.contract.compat.changes.server_changed import server_added, server_described, server_moved, server_removed
from floe.contract.compat.changes.sla_changed import (
    sla_added,
    sla_changed,
    sla_element_changed,
    sla_note_changed,
    sla_relaxed,
    sla_removed,
    sla_respelled,
    sla_stricter,
)
from floe.contract.compat.changes.table_added import table_added, table_removed
from floe.contract.compat.changes.table_changed import grain_changed, table_kind_changed, table_renamed
from floe.contract.compat.changes.terms_changed import terms_changed
from floe.contract.compat.changes.type_changed import timezone_changed, type_changed
from floe.contract.compat.changes.uniqueness import (
    field_made_repeatable,
    field_made_unique,
    items_made_repeatable,
    items_made_unique,
)
from floe.contract.compat.changes.written_form import (
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
    # A, B, F, G, H, I, what a contract promises beside its fields
    identity_changed,
    metadata_changed,
    owner_changed,
    terms_changed,
    price_changed,
    lifecycle_changed,
    api_version_changed,
    parent_changed,
    table_added,
    table_removed,
    table_renamed,
    table_kind_changed,
    grain_changed,
    relationship_added,
    relationship_removed,
    sla_stricter,
    sla_relaxed,
    sla_added,
    sla_removed,
    sla_respelled,
    sla_element_changed,
    sla_note_changed,
    sla_changed,
    rule_added,
    rule_removed,
    rule_tightened,
    rule_loosened,
    rule_moved,
    rule_severity_raised,
    rule_severity_lowered,
    rule_rewritten,
    rule_described,
    measure_added,
    measure_removed,
    measure_changed,
    dimension_added,
    dimension_removed,
    dimension_changed,
    gold_keys_changed,
    feature_added,
    server_added,
    server_removed,
    server_moved,
    server_described,
    role_added,
    role_removed,
    role_changed,
    respelled,
)
