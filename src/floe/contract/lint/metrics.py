"""Quality rules: metric, level, arguments, thresholds."""

ON_FIELDS = ("nullValues", "missingValues", "invalidValues")


METRICS = (*ON_FIELDS, "duplicateValues", "rowCount")
