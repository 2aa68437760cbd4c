"""floe's own rules: is this contract well made?"""

from floe.contract.lint.rules.arguments_missing import arguments_missing
from floe.contract.lint.rules.bounds_contradict import bounds_contradict
from floe.contract.lint.rules.classification_differs import classification_differs
from floe.contract.lint.rules.classification_unknown import classification_unknown
from floe.contract.lint.rules.classification_weakened import classification_weakened
from floe.contract.lint.rules.column_duplicated import column_duplicated
from floe.contract.lint.rules.constraint_weakened import constraint_weakened
from floe.contract.lint.rules.custom_property_duplicated import custom_property_duplicated
from floe.contract.lint.rules.dataset_duplicated import dataset_duplicated
from floe.contract.lint.rules.date_invalid import date_invalid
from floe.contract.lint.rules.deprecation_disordered import deprecation_disordered
from floe.contract.lint.rules.deprecation_too_short import deprecation_too_short
from floe.contract.lint.rules.dialect_read import dialect_read
from floe.contract.lint.rules.dimension_unknown_column import dimension_unknown_column
from floe.contract.lint.rules.engine_foreign import engine_foreign
from floe.contract.lint.rules.floe_rule_contradict import floe_rule_contradict
from floe.contract.lint.rules.floe_rule_unknown import floe_rule_unknown
from floe.contract.lint.rules.floe_rule_unknown_column import floe_rule_unknown_column
from floe.contract.lint.rules.id_duplicated import id_duplicated
from floe.contract.lint.rules.identity_defaulted import identity_defaulted
from floe.contract.lint.rules.key_misspelled import key_misspelled
from floe.contract.lint.rules.key_optional import key_optional
from floe.contract.lint.rules.key_unknown_column import key_unknown_column
from floe.contract.lint.rules.key_without_required import key_without_required
from floe.contract.lint.rules.max_delay_invalid import max_delay_invalid
from floe.contract.lint.rules.measure_without_column import measure_without_column
from floe.contract.lint.rules.member_left_before_joining import member_left_before_joining
from floe.contract.lint.rules.metric_misplaced import metric_misplaced
from floe.contract.lint.rules.metric_unknown import metric_unknown
from floe.contract.lint.rules.name_mixed_script import name_mixed_script
from floe.contract.lint.rules.name_padded import name_padded
from floe.contract.lint.rules.name_unsafe import name_unsafe
from floe.contract.lint.rules.path_unsafe import path_unsafe
from floe.contract.lint.rules.pattern_can_hang import pattern_can_hang
from floe.contract.lint.rules.pattern_invalid import pattern_invalid
from floe.contract.lint.rules.physical_type_unread import physical_type_unread
from floe.contract.lint.rules.point_in_time_unreadable import point_in_time_unreadable
from floe.contract.lint.rules.policy_broken import policy_broken
from floe.contract.lint.rules.position_unclear import position_unclear
from floe.contract.lint.rules.promises_disagree import promises_disagree
from floe.contract.lint.rules.quality_weakened import quality_weakened
from floe.contract.lint.rules.reference_from_elsewhere import reference_from_elsewhere
from floe.contract.lint.rules.reference_uneven import reference_uneven
from floe.contract.lint.rules.reference_unknown_column import reference_unknown_column
from floe.contract.lint.rules.reference_unknown_dataset import reference_unknown_dataset
from floe.contract.lint.rules.reference_unsafe import reference_unsafe
from floe.contract.lint.rules.required_field_missing import required_field_missing
from floe.contract.lint.rules.required_field_relaxed import required_field_relaxed
from floe.contract.lint.rules.rule_severity_unknown import rule_severity_unknown
from floe.contract.lint.rules.rule_unit_unknown import rule_unit_unknown
from floe.contract.lint.rules.rule_unknown_column import rule_unknown_column
from floe.contract.lint.rules.secret import secret
from floe.contract.lint.rules.server_duplicated import server_duplicated
from floe.contract.lint.rules.sla_dates_disordered import sla_dates_disordered
from floe.contract.lint.rules.sla_element_unknown import sla_element_unknown
from floe.contract.lint.rules.sla_promises_disagree import sla_promises_disagree
from floe.contract.lint.rules.sla_property_unknown import sla_property_unknown
from floe.contract.lint.rules.sla_value_invalid import sla_value_invalid
from floe.contract.lint.rules.sla_weakened import sla_weakened
from floe.contract.lint.rules.sql_unknown_table import sql_unknown_table
from floe.contract.lint.rules.sql_unreadable import sql_unreadable
from floe.contract.lint.rules.sql_unsafe import sql_unsafe
from floe.contract.lint.rules.status_unknown import status_unknown
from floe.contract.lint.rules.table_id_unsafe import table_id_unsafe
from floe.contract.lint.rules.table_promised_twice import table_promised_twice
from floe.contract.lint.rules.table_with_two_owners import table_with_two_owners
from floe.contract.lint.rules.text_invisible import text_invisible
from floe.contract.lint.rules.threshold_contradict import threshold_contradict
from floe.contract.lint.rules.threshold_missing import threshold_missing
from floe.contract.lint.rules.threshold_not_number import threshold_not_number
from floe.contract.lint.rules.type_open import type_open
from floe.contract.lint.rules.type_unknown import type_unknown
from floe.contract.lint.rules.types_disagree import types_disagree
from floe.contract.lint.rules.url_unsafe import url_unsafe
from floe.contract.lint.rules.value_listed_twice import value_listed_twice
from floe.contract.lint.rules.values_contradict import values_contradict
from floe.contract.lint.rules.values_empty import values_empty
from floe.contract.lint.rules.values_of_other_type import values_of_other_type
from floe.contract.lint.rules.version_not_semver import version_not_semver

RULES = (
    arguments_missing,
    bounds_contradict,
    classification_differs,
    classification_unknown,
    classification_weakened,
    column_duplicated,
    constraint_weakened,
    custom_property_duplicated,
    dataset_duplicated,
    date_invalid,
    deprecation_disordered,
    deprecation_too_short,
    dialect_read,
    dimension_unknown_column,
    engine_foreign,
    floe_rule_contradict,
    floe_rule_unknown,
    floe_rule_unknown_column,
    id_duplicated,
    identity_defaulted,
    key_misspelled,
    key_optional,
    key_unknown_column,
    key_without_required,
    max_delay_invalid,
    measure_without_column,
    member_left_before_joining,
    metric_misplaced,
    metric_unknown,
    name_mixed_script,
    name_padded,
    name_unsafe,
    path_unsafe,
    pattern_can_hang,
    pattern_invalid,
    physical_type_unread,
    point_in_time_unreadable,
    policy_broken,
    position_unclear,
    promises_disagree,
    quality_weakened,
    reference_from_elsewhere,
    reference_uneven,
    reference_unknown_column,
    reference_unknown_dataset,
    reference_unsafe,
    required_field_missing,
    required_field_relaxed,
    rule_severity_unknown,
    rule_unit_unknown,
    rule_unknown_column,
    secret,
    server_duplicated,
    sla_dates_disordered,
    sla_element_unknown,
    sla_promises_disagree,
    sla_property_unknown,
    sla_value_invalid,
    sla_weakened,
    sql_unknown_table,
    sql_unreadable,
    sql_unsafe,
    status_unknown,
    table_id_unsafe,
    table_promised_twice,
    table_with_two_owners,
    text_invisible,
    threshold_contradict,
    threshold_missing,
    threshold_not_number,
    type_open,
    type_unknown,
    types_disagree,
    url_unsafe,
    value_listed_twice,
    values_contradict,
    values_empty,
    values_of_other_type,
    version_not_semver,
)
