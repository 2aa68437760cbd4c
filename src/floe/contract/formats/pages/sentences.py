"""A contract's promises in words."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from floe.model import Field, QualityRule, Sla

_UNITS = {
    "second": ("s", "sec", "second", "seconds"),
    "minute": ("m", "min", "minute", "minutes"),
    "hour": ("h", "hr", "hour", "hours"),
    "day": ("d", "day", "days"),
    "week": ("w", "week", "weeks"),
    "month": ("mo", "month", "months"),
    "year": ("y", "yr", "year", "years"),
}
_UNIT = {spelling: word for word, spellings in _UNITS.items() for spelling in spellings}
_SLA = {
    "freshness": "At most {} old",
    "latency": "At most {} old",
    "availability": "Available {} of the time",
    "retention": "Kept for {}",
    "frequency": "Updated every {}",
    "latencyP99": "99 % of queries answer within {}",
    "latency_p99": "99 % of queries answer within {}",
    "timeToRepair": "Repaired within {}",
    "timeToDetect": "Problems are detected within {}",
    "timeToNotify": "Consumers are notified within {}",
    "throughput": "Throughput {}",
    "errorRate": "Error rate {}",
    "generalAvailability": "Generally available since {}",
    "endOfSupport": "Supported until {}",
    "endOfLife": "Ends on {}",
    "timeOfAvailability": "Ready by {}",
}
_NOUNS = {
    "nullValues": "null values",
    "missingValues": "missing values",
    "invalidValues": "invalid values",
    "duplicateValues": "duplicate values",
    "rowCount": "rows",
}
_OPERATORS = {
    "mustBe": "exactly {}",
    "mustNotBe": "not {}",
    "mustBeGreaterThan": "more than {}",
    "mustBeGreaterOrEqualTo": "at least {}",
    "mustBeGreaterThanOrEqualTo": "at least {}",
    "mustBeLessThan": "fewer than {}",
    "mustBeLessOrEqualTo": "at most {}",
    "mustBeLessThanOrEqualTo": "at most {}",
    "mustBeBetween": "{} to {}",
    "mustNotBeBetween": "not {} to {}",
}


def amount(value: Any, unit: str | None = None) -> str:
    """A number with its unit, as people say it.

    >>> amount(1, "h"), amount(6, "hours"), amount(Decimal("99.9"), "percent"), amount("09:00")
    ('1 hour', '6 hours', '99.9 %', '09:00')
    """
    text = number(value)
    word = _UNIT.get((unit or "").lower())
    if word:
        return f"{text} {word}{'' if text == '1' else 's'}"
    if (unit or "").lower() in ("percent", "%", "pct"):
        return f"{text} %"
    return f"{text} {unit}" if unit else text


def number(value: Any) -> str:
    """A value as people write it: thousands apart, no float noise.

    >>> number(1000000), number(Decimal("0.010")), number("a")
    ('1,000,000', '0.010', 'a')
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case int() if abs(value) >= 10_000:
            return f"{value:,}"
        case Decimal():
            return f"{value:,f}" if abs(value) >= 10_000 else f"{value:f}"
        case list() | tuple():
            return ", ".join(map(number, value))
    return str(value)


def sla_words(sla: Sla) -> str:
    """A service level as a sentence."""
    said = amount(sla.value, sla.unit)
    extra = sla.node.get("valueExt")
    if extra is not None and extra != sla.value:
        said += f" to {amount(extra, sla.node.get('unitExt'))}"
    form = _SLA.get(sla.property)
    text = form.format(said) if form else f"{sla.property}: {said}"
    return f"{text} ({sla.element})" if sla.element else text


def rule_words(rule: QualityRule) -> str:
    """A quality rule as a phrase, with its severity."""
    text = _rule_text(rule)
    remark = rule.node.get("description") or rule.name
    if remark and rule.type != "text":
        text = f"{remark}: {text}" if text else str(remark)
    return f"{text} ({rule.severity})" if rule.severity else text


def _rule_text(rule: QualityRule) -> str:
    match rule.type:
        case "text":
            return str(rule.node.get("description") or rule.name or "")
        case "sql":
            return f"SQL {' and '.join(_compared(rule, 'result'))}: {rule.query}"
        case "custom":
            return _custom_text(rule)
    if rule.valid_values is not None:
        return f"one of {number(rule.valid_values)}"
    noun = _NOUNS.get(rule.metric or "", rule.metric or "rule")
    among = rule.arguments.get("properties")
    where = f" over {number(among)}" if isinstance(among, list) else ""
    return " and ".join(_compared(rule, noun)) + where if rule.operators else noun + where


def _compared(rule: QualityRule, noun: str) -> Iterator[str]:
    percent = " %" if (rule.unit or "").lower() in ("percent", "%") else ""
    for operator, value in rule.operators.items():
        if operator == "mustBe" and value == 0 and noun != "result":
            yield f"no {noun}"
            continue
        values = value if isinstance(value, list) else [value]
        form = _OPERATORS[operator]
        said = form.format(*map(number, values)) if form.count("{}") == len(values) else f"{operator} {number(value)}"
        yield f"{said}{percent} {noun}" if noun != "result" else f"result {said}"


def _custom_text(rule: QualityRule) -> str:
    body = rule.implementation
    if rule.engine != "floe" or not isinstance(body, Mapping):
        return f"checked by {rule.engine or 'another engine'}"
    match dict(body):
        case {"freshness": {"maxDelay": delay}}:
            return f"at most {delay} old"
        case {"volume": Mapping() as volume}:
            return f"{_span(volume.get('minRowsPerDay'), volume.get('maxRowsPerDay'))} rows a day"
        case {"range": Mapping() as span}:
            return _span(span.get("minimum"), span.get("maximum"))
        case {"referentialIntegrity": {"to": target}}:
            return f"exists in {target}"
        case {"pointInTime": {"rule": text}}:
            return str(text)
    return "checked by floe"


def _span(low: Any, high: Any) -> str:
    if isinstance(low, int) and isinstance(high, int):
        return f"{low:,} to {high:,}"
    if low is not None and high is not None:
        return f"{number(low)} to {number(high)}"
    return f"at least {number(low)}" if low is not None else f"at most {number(high)}"


def promises(field: Field) -> list[str]:
    """What a field promises beyond its type, phrase by phrase."""
    return [*_option_words(field), *_fact_words(field)]


def _option_words(field: Field) -> Iterator[str]:
    options = dict(field.options)
    for low, high, noun in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ):
        if low in options or high in options:
            yield _span(options.get(low), options.get(high)) + noun
    if "exclusiveMinimum" in options and not isinstance(options["exclusiveMinimum"], bool):
        yield f"more than {number(options['exclusiveMinimum'])}"
    if "exclusiveMaximum" in options and not isinstance(options["exclusiveMaximum"], bool):
        yield f"less than {number(options['exclusiveMaximum'])}"
    if "pattern" in options:
        yield f"matches {options['pattern']}"
    form = options.get("format")
    if isinstance(form, str) and not (form[0] in "iuf" and form[1:].isdigit()):
        yield f"format {form}"


def _fact_words(field: Field) -> Iterator[str]:
    if field.unique:
        yield "unique"
    if field.values is not None:
        yield f"one of {number(field.values)}"
    for link in field.relationships:
        yield f"refers to {', '.join(link.target)}"
    for rule in field.rules:
        if rule.valid_values is None:
            yield rule_words(rule)
