"""Which keys of a part a kind of change tells of, so that what is left can be named too."""

from collections.abc import Collection

_OPTIONS = "logicalTypeOptions"
_BOUNDS = tuple(
    f"{_OPTIONS}.{key}"
    for key in (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
        *("minItems", "maxItems", "minProperties", "maxProperties"),
    )
)
_NAMES = ("name", "physicalName", "customProperties.renamedFrom")
_THRESHOLD = (
    *("mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeGreaterThanOrEqualTo"),
    *("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeLessThanOrEqualTo", "mustBeBetween", "mustNotBeBetween"),
    *("unit", "implementation"),
)
_LEVEL = ("property", "value", "valueExt", "unit")
_REFERENCE = ("type", "from", "to")
# a kind of change, or the beginning of its name -> the keys it shows both values of
_TELLS: dict[str, tuple[str, ...]] = {
    "type-changed": (
        "physicalType",
        *(f"{_OPTIONS}.{key}" for key in ("format", "timezone", "dimensions", "elementType", "maxLength")),
    ),
    "timezone-changed": (f"{_OPTIONS}.timezone", f"{_OPTIONS}.defaultTimezone"),
    "pattern-": (f"{_OPTIONS}.pattern",),
    "format-": (f"{_OPTIONS}.format",),
    "multiple-": (f"{_OPTIONS}.multipleOf",),
    "items-made-": (f"{_OPTIONS}.uniqueItems",),
    "transform-logic-": (
        "transformLogic",
        *(f"{_OPTIONS}.{key}" for key in ("embeddingModel", "embeddingModelVersion", "normalized")),
    ),
    "enum-": ("enum",),
    "field-made-required": ("required",),
    "field-made-optional": ("required",),
    "element-made-": ("required",),
    "field-made-unique": ("unique",),
    "field-made-repeatable": ("unique",),
    "classification-": ("classification",),
    "encrypted-name-": ("encryptedName",),
    "default-": ("customProperties.default",),
    "critical-element-": ("criticalDataElement",),
    "bound-": _BOUNDS,
    "field-renamed": _NAMES,
    "field-case-changed": _NAMES,
    "physical-name-changed": _NAMES,
    "table-renamed": ("name", "physicalName", "customProperties.layer"),
    "table-kind-changed": ("physicalType",),
    "grain-changed": ("dataGranularityDescription",),
    "measure-": ("customProperties.measures",),
    "dimension-": ("customProperties.dimensions",),
    "gold-keys-": tuple(f"customProperties.{key}" for key in ("featureSet", "joinKeys", "snapshotKeys")),
    "identity-changed": ("id", "name", "domain", "dataProduct"),
    "rule-tightened": _THRESHOLD,
    "rule-loosened": _THRESHOLD,
    "rule-moved": _THRESHOLD,
    "rule-severity-": ("severity",),
    "rule-rewritten": ("query", "implementation", "arguments"),
    "relationship-removed": _REFERENCE,
    "sla-stricter": _LEVEL,
    "sla-relaxed": _LEVEL,
    "sla-respelled": _LEVEL,
    "sla-changed": _LEVEL,
    "sla-element-changed": ("element",),
    "role-": ("roles",),
}


def explained(key: str, told: Collection[str]) -> bool:
    """Whether a key was told: by its own name, or by a kind of change that shows it.

    >>> explained("required", {"field-made-required"}), explained("unique", {"field-made-required"})
    (True, False)
    """
    if any(text == key or text.startswith(f"{key}.") for text in told):
        return True
    return any(key in keys and any(kind.startswith(name) for kind in told) for name, keys in _TELLS.items())
