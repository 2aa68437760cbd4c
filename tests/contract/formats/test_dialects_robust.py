"""Dialect documents with anything wrong in them: findings with places, never a traceback, nothing lost on the way."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from floe.contract.formats import canonical, read
from floe.contract.formats.odcs import write as odcs_write
from floe.model import Severity, yaml_text

CASES = Path(__file__).parents[2] / "cases"


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return float(value) if isinstance(value, Decimal) else value


DOCUMENTS = {
    path.name: plain(yaml_text.parse(path.read_bytes(), path.name))
    for path in sorted([*(CASES / "odcs" / "dialects").glob("*.yaml"), *(CASES / "dialects").glob("full-*.yaml")])
}
WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        "",
        "x",
        "a.b.c",
        "soon",
        0,
        -1,
        3,
        1.5,
        True,
        [],
        {},
        [1],
        ["x"],
        [[]],
        [{}],
        {"a": 1},
        {"name": "x"},
        {"type": "map"},
    ]
)


def paths(value: Any, at: tuple = ()) -> list[tuple]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, part in below for path in paths(part, (*at, key)))]


def changed(value: Any, path: tuple, new: Any, how: str) -> Any:
    if not path:
        return new
    out = dict(value) if isinstance(value, dict) else list(value)
    key = path[0]
    if len(path) > 1:
        out[key] = changed(value[key], path[1:], new, how)
    elif how == "remove":
        del out[key]
    elif how == "rename" and isinstance(out, dict):
        out = {("renamed" if name == key else name): part for name, part in out.items()}
    else:
        out[key] = new
    return out


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@given(data=st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_wrong_value_anywhere_is_found_or_kept(name, data):
    document = DOCUMENTS[name]
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(paths(document)))
        how = data.draw(st.sampled_from(["replace", "remove", "rename"]))
        document = changed(document, path, data.draw(WRONG), how)
    text = yaml.safe_dump(document, sort_keys=False)
    contract, findings = read(text, "a.yaml")
    assert contract or findings
    assert all(finding.place and finding.place.file == "a.yaml" for finding in findings)
    lines = len(text.splitlines())
    assert all(1 <= finding.place.line <= lines for finding in findings if finding.place)
    if contract and not any(finding.severity is Severity.CRITICAL for finding in findings):
        for version in ("v3.1.0", "v3.2.0"):
            again, _ = read(odcs_write.write(contract, version), "b.yaml")
            assert again is not None
            assert canonical.differences(contract, again) == []


def marked(value: Any, path: tuple, how: str) -> Any:
    """The document with a value nobody expects: in place of one, or under a new key beside others."""
    target = value
    for key in path:
        target = target[key]
    new = {**target, "extraKey": "MARKER"} if how == "add" and isinstance(target, dict) else "MARKER"
    return changed(value, path, new, "replace")


@pytest.mark.parametrize("name", sorted(set(DOCUMENTS) - {"b-changes.yaml"}))
@given(data=st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_is_lost_silently(name, data):
    places = [path for path in paths(DOCUMENTS[name]) if path not in REPLACED]
    document = marked(DOCUMENTS[name], data.draw(st.sampled_from(places)), data.draw(st.sampled_from(["add", "put"])))
    contract, findings = read(yaml.safe_dump(document, sort_keys=False), "a.yaml")
    if contract and not any(finding.severity is Severity.CRITICAL for finding in findings):
        assert "MARKER" in str(contract.node)


REPLACED = [("apiVersion",), ("dataContractSpecification",)]
