"""Every kind of change by its cases (tests/cases/compat/*.yaml).

A case has a `title`, `old` and `new`, and `changes`: every line that the diff says, in its order.

`old` and `new` are either columns of one dataset `t` (name: type text, or name: ODCS property keys, where `properties`
is again such a map and `items` or a map's `key` and `value` may be type texts; ` not null` after a type is `required`),
or a text: a fragment of an ODCS document. Both are completed by the same header; `with` adds keys to both sides.
`settings` are those of the manifest. `reverse` lists the lines of the way back from new to old.

A line is `<change> <path> <old> -> <new>: <BUMP>`, `-` for nothing, and after it, by commas, what else is claimed:
a row (`D1`), a class (`widening`), impacts (`ok/break`), `dangerous` or `not dangerous`, `given`, a verdict of a format
(`delta allowed`, `all rejected`), `note <words of it>`, `more <key> <value>`. The path is without `t.` for columns.
"""

import json
from pathlib import Path

import pytest
import yaml

from floe.actions.diff import terms_of
from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.formats import canonical, read
from floe.lang.json_text import dumps
from floe.settings import Settings

_CASES = Path(__file__).parents[2] / "cases" / "compat"
_HEADER = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "urn:test:case",
    "name": "case",
    "version": "1.0.0",
    "status": "active",
    "domain": "test",
    "dataProduct": "cases",
}

# rows that a diff of two versions can fire; C11 needs the versions before them
ROWS = (
    *(f"C{number}" for number in range(1, 11)),
    *(f"D{number}" for number in range(1, 24)),
    *(f"K{number}" for number in range(1, 18)),
)
_OUTSIDE_THE_HASH = "A6"


def _all():
    return [(path.stem, case) for path in sorted(_CASES.glob("*.yaml")) for case in yaml.safe_load(path.read_text())]


def _property(given):
    if isinstance(given, str):
        required = given.endswith(" not null")
        return {"physicalType": given.removesuffix(" not null"), **({"required": True} if required else {})}
    out = dict(given)
    if isinstance(out.get("properties"), dict):
        out["properties"] = _properties(out["properties"])
    if "items" in out:
        out["items"] = _property(out["items"])
    if "map" in out:
        out["map"] = {part: _property(below) for part, below in out["map"].items()}
    return out


def _properties(columns):
    return [{"name": name, **_property(given)} for name, given in columns.items()]


def _contract(side, case):
    body = (
        yaml.safe_load(side) if isinstance(side, str) else {"schema": [{"name": "t", "properties": _properties(side)}]}
    )
    contract, found = read(
        json.dumps({**_HEADER, **case.get("with", {}), **(body or {})}, ensure_ascii=False), "case.yaml"
    )
    assert contract, found
    return contract


def _text(value):
    if value is None:
        return "-"
    return value if isinstance(value, str) else dumps(value)


def _head(change, columns):
    path = change.path.removeprefix("t.") if columns else change.path
    return f"{change.change} {path} {_text(change.old)} -> {_text(change.new)}: {change.bump}"


def _claims(change):
    """Everything that a line may claim of a change beside its head."""
    said = {
        change.row,
        change.basis,
        f"{change.reader}/{change.writer}",
        "dangerous" if change.dangerous else "not dangerous",
    }
    formats = change.formats or {}
    said |= {f"{name} {verdict}" for name, verdict in formats.items()}
    said |= {f"all {verdict}" for verdict in formats.values()} if len(set(formats.values())) == 1 else set()
    said |= {f"more {key} {_text(value)}" for key, value in change.more.items()}
    return said | ({change.klass} if change.klass else set())


def _assert_lines(found, lines, columns):
    split = [(head, rest.split(", ")) for head, _, rest in (_parted(line) for line in lines)]
    assert [_head(change, columns) for change in found] == [f"{head}: {rest[0]}" for head, rest in split]
    for change, (_, (_, *claims)) in zip(found, split, strict=True):
        for claim in claims:
            if claim.startswith("note "):
                assert claim.removeprefix("note ") in change.note
            else:
                assert claim in _claims(change)


def _parted(line):
    return line.rpartition(": ")


def _changes(case, *, back=False):
    old, new = (_contract(case[side], case) for side in ("old", "new"))
    settings = Settings(Path())
    terms = terms_of(settings.with_values(case.get("settings", {})))
    return changes(new, old, CHANGES, terms) if back else changes(old, new, CHANGES, terms)


@pytest.mark.parametrize(("file", "case"), [pytest.param(f, c, id=f"{f}: {c['title']}") for f, c in _all()])
def test_case(file, case):
    columns = not isinstance(case["old"], str)
    _assert_lines(_changes(case), case["changes"], columns)
    if "reverse" in case:
        _assert_lines(_changes(case, back=True), case["reverse"], columns)


@pytest.mark.parametrize("kind", CHANGES, ids=lambda kind: kind.name)
def test_a_kind_of_change_fires_in_one_case_and_is_silent_in_another_of_that_file(kind):
    lines = [(file, [*case["changes"], *case.get("reverse", [])]) for file, case in _all()]
    files = {file for file, said in lines if any(line.startswith(f"{kind.name} ") for line in said)}
    assert files, f"no case fires {kind.name}"
    assert any(not said for file, said in lines if file in files), f"no silent case beside those of {kind.name}"


@pytest.mark.parametrize("kind", CHANGES, ids=lambda kind: kind.name)
def test_a_kind_of_change_says_what_why_and_what_to_do(kind):
    first, why, fix = (part.strip() for part in kind.doc.strip().split("\n\n"))
    assert first.endswith(".")
    assert why.startswith("Why: ")
    assert fix.startswith("Fix: ")


def test_every_row_of_the_law_fires_in_some_case():
    fired = {
        change.row
        for _, case in _all()
        for back in (False, True)
        if not back or "reverse" in case
        for change in _changes(case, back=back)
    }
    assert [row for row in ROWS if row not in fired] == []


def test_names_of_kinds_are_unique():
    assert len({kind.name for kind in CHANGES}) == len(CHANGES)


@pytest.mark.parametrize(("file", "case"), [pytest.param(f, c, id=f"{f}: {c['title']}") for f, c in _all()])
def test_the_hash_is_the_same_exactly_where_nothing_changes(file, case):
    """`content_hash` covers the document as the model holds it, and A1 is the same hash."""
    old, new = (_contract(case[side], case) for side in ("old", "new"))
    counted = [change for change in _changes(case) if change.row != _OUTSIDE_THE_HASH]
    same = canonical.content_hash(old) == canonical.content_hash(new)
    assert same == (not counted and old.version == new.version)
