"""All codes of floe with their meanings; a released code never changes its meaning."""

from dataclasses import dataclass

from floe.model.finding import Severity

_INFO, _WARNING, _ERROR, _CRITICAL = Severity


@dataclass(frozen=True, slots=True)
class Code:
    """A code, its meaning, and its default severity."""

    code: str
    meaning: str
    severity: Severity


# what the codes of ten are about
RANGES = {
    "E50": "Reading",
    "E51": "Inheritance and policy",
    "E52": "Versions",
    "E53": "Schema drift",
    "E54": "Registration",
    "E55": "Data",
    "E56": "Service levels",
    "E57": "Lifecycle at run time",
    "E58": "Not evaluated",
}

CODES = (
    Code("E500", "contract not found", _CRITICAL),
    Code("E501", "invalid ODCS or missing required field", _CRITICAL),
    Code("E502", "unsupported version", _CRITICAL),
    Code("E503", "unknown type", _CRITICAL),
    Code("E504", "invalid SLA value", _ERROR),
    Code("E505", "unknown classification", _WARNING),
    Code("E506", "rule cannot be evaluated", _ERROR),
    Code("E507", "unsafe content (SQL, regex, secret, URL, path)", _ERROR),
    Code("E508", "contradiction inside the contract", _ERROR),
    Code("E509", "YAML cannot be parsed", _CRITICAL),
    Code("E510", "SLA weakening", _ERROR),
    Code("E511", "classification weakening", _CRITICAL),
    Code("E512", "circular dependency", _CRITICAL),
    Code("E513", "required field relaxed", _ERROR),
    Code("E514", "quality weakened", _ERROR),
    Code("E515", "policy broken", _ERROR),
    Code("E516", "parent not found", _ERROR),
    Code("E517", "approval missing", _ERROR),
    Code("E520", "breaking change without MAJOR", _CRITICAL),
    Code("E521", "invalid version format", _ERROR),
    Code("E522", "MINOR bump missing", _ERROR),
    Code("E523", "changed without a new version, or version exists with other content", _ERROR),
    Code("E524", "identity changed", _ERROR),
    Code("E525", "consumer sign-off missing", _ERROR),
    Code("E526", "lifecycle timeline broken", _ERROR),
    Code("E527", "version lowered", _ERROR),
    Code("E528", "migration plan missing", _ERROR),
    Code("E530", "type mismatch", _CRITICAL),
    Code("E531", "missing column", _CRITICAL),
    Code("E532", "extra column", _INFO),
    Code("E533", "nullability drift", _ERROR),
    Code("E534", "key or partition drift, or table of another MAJOR", _ERROR),
    Code("E535", "table replaced", _ERROR),
    Code("E540", "catalog unreachable (warning, never blocks, retried)", _WARNING),
    Code("E541", "namespace owned by another repository", _ERROR),
    Code("E542", "registry unreachable", _ERROR),
    Code("E550", "null value", _ERROR),
    Code("E551", "duplicate value or key", _ERROR),
    Code("E552", "value not listed", _ERROR),
    Code("E553", "pattern or format mismatch", _ERROR),
    Code("E554", "out of range or length", _ERROR),
    Code("E555", "reference missing", _ERROR),
    Code("E556", "custom rule failed", _WARNING),
    Code("E557", "volume out of range", _WARNING),
    Code("E558", "point-in-time rule broken", _CRITICAL),
    Code("E559", "anomaly", _WARNING),
    Code("E560", "stale data", _ERROR),
    Code("E561", "unavailable", _ERROR),
    Code("E562", "latency", _ERROR),
    Code("E563", "recovery time", _ERROR),
    Code("E564", "retention", _ERROR),
    Code("E565", "cost budget exceeded", _ERROR),
    Code("E570", "deprecated contract used", _WARNING),
    Code("E571", "sunset contract used", _ERROR),
    Code("E572", "retired contract used", _ERROR),
    Code("E580", "could not be evaluated, with the cause; never counted as pass or fail", _WARNING),
)
BY_CODE = {code.code: code for code in CODES}

# findings of reading, resolving and comparing, besides the rules: name -> code, meaning
READING = {
    "contract-not-found": ("E500", "The file does not exist."),
    "folder-empty": ("E500", "The folder contains no contract."),
    "input-contract-not-found": ("E500", "An input port of a product names a contract that does not exist."),
    "input-contract-deprecated": ("E570", "An input port of a product names a contract that is deprecated."),
    "input-contract-sunset": ("E571", "An input port of a product names a contract that is sunset."),
    "input-contract-retired": ("E572", "An input port of a product names a contract that is retired."),
    "lifecycle-disordered": (
        "E526",
        "The dates of a contract's lifecycle are out of order or too close, or a state is skipped.",
    ),
    "contract-deprecated": ("E570", "A contract in use is deprecated."),
    "contract-sunset": ("E571", "A contract in use is sunset; new consumers are refused."),
    "contract-retired": ("E572", "A contract in use is retired."),
    "product-not-found": ("E500", "Neither the folder to compile nor a folder below it has a floe.yaml."),
    "not-a-contract": ("E501", "The document is empty, a list or plain text."),
    "missing-field": ("E501", "A field that the standard requires is missing."),
    "unknown-key": ("E501", "A key is not part of the standard at this place."),
    "misplaced-key": ("E501", "A key of the standard is used at a place where it has no meaning."),
    "invalid-value": ("E501", "The standard does not allow this value here."),
    "several-operators": ("E501", "A rule has several operators, but the standard allows one."),
    "newer-feature": ("E501", "Only a later version of the standard than the declared one allows this."),
    "schema-stricter": (
        "E501",
        "The JSON Schema refuses something that the text of the standard allows; floe reads it.",
    ),
    "too-many-findings": ("E501", "There are too many errors; only the first ones are listed."),
    "table-id-invalid": ("E501", "A table_id does not have the form layer.domain.table."),
    "wrong-type": ("E501", "A value does not have the type that the standard requires."),
    "schema-unreadable": ("E501", "A schema of another tool is incomplete and cannot be converted."),
    "ignore-without-reason": ("E501", "A comment ignores a finding without a reason; it has no effect."),
    "ignore-unused": ("E501", "A comment ignores a finding that does not occur."),
    "policy-unreadable": ("E501", "A policy of a parent has a requirement that floe does not know."),
    "unsupported-version": ("E502", "The document declares a version of the standard that floe does not support."),
    "not-odcs": (
        "E502",
        "The document is not a contract; the message names its kind and the command that converts it.",
    ),
    "changes-invalid": ("E501", "changes.yaml does not have the expected form."),
    "approval-missing": ("E517", "A MAJOR change needs an approval with the hash of its diff."),
    "approval-invalid": ("E517", "An approval is incomplete, names no diff, or has expired; it has no effect."),
    "contract-removed": ("E520", "A contract was removed before it was retired."),
    "deadline-invalid": ("E528", "The deadline of a migration is not a date."),
    "listed-change-not-made": ("E528", "changes.yaml lists a change that the new version does not make."),
    "listed-change-differs": ("E528", "changes.yaml gives other types than those of the two versions."),
    "type-unreadable": ("E503", "A schema of another tool has a type that floe does not know."),
    "path-outside-root": ("E507", "A symbolic link points to a file outside the folder; it is not read."),
    "column-unknown": ("E508", "A key, partition or constraint of a dialect names a column that does not exist."),
    "merge-contradicts": ("E508", "Two files give a column different types; the message names both places."),
    "contract-id-duplicated": ("E508", "Two contracts of a run have the same id, or the same name and version."),
    "inheritance-circular": ("E512", "A contract extends itself through the contracts that the message lists."),
    "parent-not-found": (
        "E516",
        "A parent does not exist, has an ambiguous name, or cannot be read.",
    ),
    "inheritance-too-deep": ("E516", "A chain of parents is longer than floe allows."),
    "waiver-unapproved": ("E517", "A waiver names no approver; it has no effect."),
    "waiver-expired": ("E517", "A waiver has expired, but its finding still occurs."),
    "identity-missing": ("E501", "A contract to publish has neither domain nor product."),
    "parent-not-newest": (
        "E516",
        "The contract inherits from another version of its parent than the newest registered one.",
    ),
    "version-registered-otherwise": ("E523", "The version is already registered with other content."),
    "sign-off-missing": (
        "E525",
        "Consumers have not signed off a breaking change, and their notice period has not ended.",
    ),
    "effective-too-early": ("E526", "A breaking change takes effect before its lead time is over."),
    "owned-by-another-repository": ("E541", "Another repository registered the contract and owns it."),
    "table-of-another-project": (
        "E541",
        "The table in the registry or catalog is below the root of another project.",
    ),
    "test-not-evaluated": ("E580", "A contract to publish could not be tested on its table."),
    "yaml-unreadable": ("E509", "The text is not YAML at the place that the message names."),
    "json-unreadable": ("E509", "The text is not JSON at the place that the message names."),
    "file-unreadable": ("E509", "The file cannot be read."),
    "file-too-large": ("E509", "The file is too large for a contract."),
    "not-text": ("E509", "The file is not UTF-8 or UTF-16 text."),
    "several-documents": ("E509", "The file contains a second document."),
    "duplicate-key": ("E509", "A mapping contains a key twice."),
    "merge-key": ("E509", "A merge key (<<) adds values that are not written there."),
    "key-not-text": ("E509", "A key is a list, a mapping or an alias."),
    "custom-tag": ("E509", "A tag is not part of plain YAML."),
    "bad-alias": ("E509", "An alias has no anchor, or is inside its own anchor."),
    "too-deep": ("E509", "The document is nested too deep."),
    "too-many-nodes": ("E509", "The document has too many values once aliases are expanded."),
}

# findings of a gate, besides the expectations on values: name -> code, meaning
GATE = {
    "type-mismatch": ("E530", "A column of the batch or table does not have the type in the contract."),
    "column-order": ("E530", "The columns are in another order than in the contract; Gold requires the same order."),
    "missing-column": ("E531", "A column of the contract is missing from the batch or table."),
    "extra-column": ("E532", "The batch or table has a column that is not in the contract; Silver and Gold refuse it."),
    "nullability-drift": ("E533", "The table allows nulls in a column that the contract requires, or the reverse."),
    "partition-drift": ("E534", "The partition columns of the table differ from those of the contract."),
    "null-value": ("E550", "A required field, or a field of the key, is null."),
    "key-duplicated": ("E551", "A primary key occurs twice in the batch, or is already in the table."),
    "value-duplicated": ("E551", "A value occurs twice in a unique column."),
}
