"""What kind of violation a code is, as events, metrics and alerts name it."""

DRIFT, QUALITY, UNKNOWN = "schema_drift", "quality_violation", "not_evaluated"

# a code about a contract or the registry itself means that its data was not checked
VIOLATION_TYPES = {
    **dict.fromkeys(("E500", "E501", "E502", "E503", "E504", "E505", "E506", "E507", "E508", "E509"), UNKNOWN),
    **dict.fromkeys(("E510", "E511", "E512", "E513", "E514", "E515", "E516", "E517"), UNKNOWN),
    **dict.fromkeys(("E520", "E521", "E522", "E523", "E524", "E525", "E526", "E527", "E528"), UNKNOWN),
    **dict.fromkeys(("E530", "E531", "E532", "E533", "E534", "E535"), DRIFT),
    **dict.fromkeys(("E540", "E541", "E542"), UNKNOWN),
    **dict.fromkeys(("E550", "E551", "E552", "E553", "E554", "E555", "E556", "E557", "E558"), QUALITY),
    "E559": "volume_anomaly",
    "E560": "freshness_violation",
    "E561": "availability_violation",
    "E562": "latency_violation",
    "E563": "recovery_violation",
    "E564": "retention_violation",
    "E565": "cost_violation",
    "E570": "deprecation_warning",
    "E571": "deprecation_error",
    "E572": "retired_used",
    "E580": UNKNOWN,
}


def violation_type(code: str) -> str:
    """The kind of violation that a code is, with or without its FLOE-.

    >>> violation_type("FLOE-E560")
    'freshness_violation'
    """
    return VIOLATION_TYPES[code.removeprefix("FLOE-")]
