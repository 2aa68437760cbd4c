"""floe's own rules: is this contract well made?"""

from floe.contract.lint.bounds_contradict import bounds_contradict
from floe.contract.lint.dialect_read import dialect_read
from floe.contract.lint.name_duplicated import column_duplicated, dataset_duplicated
from floe.contract.lint.type_open import type_open
from floe.contract.lint.type_unknown import physical_type_unread, type_unknown
from floe.contract.lint.version_not_semver import version_not_semver

RULES = (
    bounds_contradict,
    column_duplicated,
    dataset_duplicated,
    dialect_read,
    physical_type_unread,
    type_open,
    type_unknown,
    version_not_semver,
)
