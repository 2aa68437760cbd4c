import time
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from floe.actions.lint import lint
from floe.contract.formats import read
from floe.model import ContractError, locate, yaml_text

_SOUND = b"apiVersion: v3.1.0\nkind: DataContract\nid: o\nversion: 1.0.0\nstatus: active\n"


def _bomb(levels):
    rows = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"]
    rows += [b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, levels)]
    return b"".join(rows)


def _chain(anchors):
    """Each line is 150 levels deep and holds the line before it."""
    rows = [b"a0: &a0 " + b"[" * 150 + b"]" * 150 + b"\n"]
    rows += [b"a%d: &a%d " % (n, n) + b"[" * 150 + b"*a%d" % (n - 1) + b"]" * 150 + b"\n" for n in range(1, anchors)]
    return b"".join(rows)


# what is read, the finding's code and name, and its line and column
_REFUSED = {
    "empty": (b"", "E501 not-a-contract 1:1"),
    "only a comment": (b"# nothing\n", "E501 not-a-contract 1:1"),
    "a list": (b"- a\n", "E501 not-a-contract 1:1"),
    "plain text": (b"hello world\n", "E501 not-a-contract 1:1"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", "E509 not-text 1:1"),
    "another encoding": (_SOUND + "name: Bücher\n".encode("latin-1"), "E509 not-text 6:1"),
    "UTF-16 without a mark": (_SOUND.decode().encode("utf-16-le"), "E509 yaml-unreadable 1:2"),
    "NUL": (_SOUND + b"name: a\0b\n", "E509 yaml-unreadable 6:8"),
    "100 MB": (b"a: " + b"x" * 100_000_000, "E509 file-too-large 1:1"),
    # 123,457 values before the sixth line's aliases of 111,111 values each: the eighth is one too many
    "alias bomb": (_bomb(12), "E509 too-many-nodes 6:45"),
    "a million values": (b"a:\n" + b"- x\n" * 1_100_000, "E509 too-many-nodes 1000000:3"),
    "depth 1,000 in lists": (b"[" * 1000, "E509 too-deep 1:201"),
    "depth 1,000 in mappings": (b"\n".join(b" " * n + b"a:" for n in range(1000)), "E509 too-deep 201:201"),
    "depth 200,000": (b"[" * 200_000, "E509 too-deep 1:201"),
    "depth 200,000 in dashes": (b"- " * 200_000, "E509 too-deep 1:401"),
    "depth 30,000 by aliases": (_chain(200), "E509 too-deep 2:159"),
    "duplicate key": (_SOUND + b"id: p\n", "E509 duplicate-key 6:1"),
    "duplicate key below": (_SOUND + b"description: {usage: a, usage: b}\n", "E509 duplicate-key 6:25"),
    "tab": (_SOUND + b"description:\n\tpurpose: x\n", "E509 yaml-unreadable 7:1"),
    "custom tag": (_SOUND + b"name: !secret x\n", "E509 custom-tag 6:7"),
    "python tag": (_SOUND + b"name: !!python/object/apply:os.system [ls]\n", "E509 custom-tag 6:7"),
    "binary tag": (_SOUND + b"name: !!binary aGk=\n", "E509 custom-tag 6:7"),
    "merge key": (_SOUND + b"price: &p {priceUnit: EUR}\nx:\n  <<: *p\n", "E509 merge-key 8:3"),
    "a list as key": (_SOUND + b"? [a]\n: 1\n", "E509 key-not-text 6:3"),
    "two documents": (_SOUND + b"---\na: 1\n", "E509 several-documents 6:1"),
    "alias in its own anchor": (_SOUND + b"tags: &a [*a]\n", "E509 bad-alias 6:11"),
    "alias without anchor": (_SOUND + b"tags: *a\n", "E509 bad-alias 6:7"),
    "open quote": (_SOUND + b"name: 'abc\n", "E509 yaml-unreadable 7:1"),
    "a reserved sign": (_SOUND + b"name: @x\n", "E509 yaml-unreadable 6:7"),
}


@pytest.mark.parametrize(("data", "expected"), _REFUSED.values(), ids=_REFUSED)
def test_bad_text_is_refused_with_one_finding_and_soon(data, expected):
    begin = time.monotonic()
    contract, (found,) = read(data, "bad.yaml")
    assert contract is None
    assert found.place
    assert f"{found.code} {found.name} {found.place.line}:{found.place.column}" == expected
    assert found.suggestion
    assert len(found.message) < 200
    assert time.monotonic() - begin < 120  # it ends at all; how fast is for benchmarks


_ACCEPTED = {
    "byte order mark": b"\xef\xbb\xbf" + _SOUND,
    "CRLF": _SOUND.replace(b"\n", b"\r\n"),
    "UTF-16 little endian": b"\xff\xfe" + _SOUND.decode().encode("utf-16-le"),
    "UTF-16 big endian": b"\xfe\xff" + _SOUND.decode().encode("utf-16-be"),
    "text": _SOUND.decode(),
    "document marks": b"---\n" + _SOUND + b"...\n",
}


@pytest.mark.parametrize("data", _ACCEPTED.values(), ids=_ACCEPTED)
def test_other_ways_to_save_a_contract_read_as_the_same_tree(data):
    assert yaml_text.parse(data, "a.yaml") == yaml_text.parse(_SOUND, "a.yaml")
    contract, found = read(data, "a.yaml")
    assert contract is not None
    assert found == []


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("1.10", Decimal("1.10")),
        ("010", "010"),
        ("12:30:00", "12:30:00"),
        ("2026-01-03", "2026-01-03"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        (".nan", ".nan"),
        ("1e3", Decimal("1e3")),
        ("1e999999999", "1e999999999"),
        ("9" * 5000, "9" * 5000),
        ("12", 12),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("true", True),
        ("~", None),
        ("=", "="),
    ],
)
def test_a_scalar_reads_as_written(written, value):
    read_value = yaml_text.parse(f"a: {written}", "a.yaml")["a"]
    assert read_value == value
    assert type(read_value) is type(value)


def test_keys_are_text_as_written():
    assert list(yaml_text.parse("no: 1\n1.10: 2\n010: 3\n", "a.yaml")) == ["no", "1.10", "010"]


def test_every_key_value_and_item_knows_its_place():
    tree = yaml_text.parse("a:\n  b: [x, {c: y}]\n", "a.yaml")
    assert str(locate(tree, "a", "b", key=True)) == "a.yaml:2:3"
    assert str(locate(tree, "a", "b", 0)) == "a.yaml:2:7"
    assert str(locate(tree, "a", "b", 1, "c")) == "a.yaml:2:14"


def test_an_alias_is_the_value_of_its_anchor_at_its_own_place():
    tree = yaml_text.parse("a: &x {b: 1}\nc: *x\n", "a.yaml")
    assert tree["c"] == {"b": 1}
    assert str(locate(tree, "c")) == "a.yaml:2:4"


@given(st.binary(max_size=200) | st.text("ab:-[]{}&*!|>'\"#%@`,?\n\t ~<", max_size=80))
def test_any_bytes_are_a_tree_or_a_finding(data):
    try:
        yaml_text.parse(data, "a.yaml")
    except ContractError as error:
        (found,) = error.findings
        assert found.code == "E509"


def test_twenty_thousand_unknown_keys_end_soon_and_say_how_many():
    data = _SOUND + b"".join(b"k%d: 1\n" % n for n in range(20_000))
    begin = time.monotonic()
    _, found = read(data, "many.yaml")
    assert len(found) == 1001
    assert found[-1].message == "19,000 more errors of the standard's JSON Schema"
    assert time.monotonic() - begin < 120  # it ends at all; how fast is for benchmarks


def test_lint_of_a_bad_text_is_one_finding():
    assert [f.name for f in lint("a: [\nb: 1\n").findings] == ["yaml-unreadable"]


def test_a_character_that_json_escapes_as_a_pair_is_read_and_other_text_with_such_letters_stays():
    assert yaml_text.parse(r'{"a": "\ud83d\ude00 \u00e9", "b": "\\ud83d\\ude00"}', "a.json") == {
        "a": "\U0001f600 \u00e9",
        "b": r"\ud83d\ude00",
    }
    assert yaml_text.parse(r"pattern: '[\ud83c\udf00]'", "a.yaml") == {"pattern": r"[\ud83c\udf00]"}
