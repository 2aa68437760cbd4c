"""Kinds of change: what does a version change, and for whom?"""

from floe.contract.compat.api_version_changed import api_version_changed
from floe.contract.compat.field_added import field_added, required_field_added
from floe.contract.compat.field_removed import field_removed
from floe.contract.compat.gold_changed import feature_added, gold_keys_changed
from floe.contract.compat.identity_changed import identity_changed
from floe.contract.compat.lifecycle_changed import lifecycle_changed
from floe.contract.compat.measure_changed import (
    dimension_added,
    dimension_changed,
    dimension_removed,
    measure_added,
    measure_changed,
    measure_removed,
)
from floe.contract.compat.metadata_changed import metadata_changed, respelled
from floe.contract.compat.owner_changed import owner_changed
from floe.contract.compat.parent_changed import parent_changed
from floe.contract.compat.price_changed import price_changed
from floe.contract.compat.relationship_changed import relationship_added, relationship_removed
from floe.contract.compat.role_changed import role_added, role_changed, role_removed
from floe.contract.compat.rule_added import rule_added, rule_removed
from floe.contract.compat.rule_changed import (
    rule_described,
    rule_loosened,
    rule_moved,
    rule_rewritten,
    rule_severity_lowered,
    rule_severity_raised,
    rule_tightened,
)
from floe.contract.compat.server_changed import server_added, server_described, server_moved, server_removed
from floe.contract.compat.sla_changed import (
    sla_added,
    sla_changed,
    sla_element_changed,
    sla_note_changed,
    sla_relaxed,
    sla_removed,
    sla_respelled,
    sla_stricter,
)
from floe.contract.compat.table_added import table_added, table_removed
from floe.contract.compat.table_changed import grain_changed, table_kind_changed, table_renamed
from floe.contract.compat.terms_changed import terms_changed

CHANGES = (
    field_added,
    required_field_added,
    field_removed,
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
