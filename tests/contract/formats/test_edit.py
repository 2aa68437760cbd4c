"""A YAML text changed in one place: not a byte elsewhere is another."""

from pathlib import Path

import pytest

from floe.contract.formats.text.edit import NewKey, add_keys, append, replace_scalar
from floe.model import ContractError, Map, SettingError, yaml_text
from tests.helpers.conversions import CASES

EXAMPLES = sorted((CASES / "odcs").rglob("*.odcs.yaml"))
ENTRY = {"code": "E515", "path": "a.b", "reason": "it's: [so]", "until": "2099-12-31"}
WRITTEN = '{code: E515, path: a.b, reason: "it\'s: [so]", until: 2099-12-31}'


def versioned(text: str) -> str:
    tree = yaml_text.parse(text, "x.yaml")
    return replace_scalar(text, tree.value_places["version"], "1.0.0", "2.10.0-rc.1")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("path", EXAMPLES, ids=[f"{path.parts[-3]}-{path.stem}" for path in EXAMPLES])
def test_every_example_of_the_standard_changes_in_its_version_alone(path: Path, newline: str):
    text = path.read_text().replace("\r\n", "\n").replace("\n", newline)
    tree = yaml_text.parse(text, "x.yaml")
    if "version" not in tree:
        assert tree["kind"] == "DataContract"
        return
    old, place = str(tree["version"]), tree.value_places["version"]
    changed = replace_scalar(text, place, old, "9.9.9")
    lines, after = text.split(newline), changed.split(newline)
    number = place.line - 1
    assert after[:number] + after[number + 1 :] == lines[:number] + lines[number + 1 :]
    assert after[number] == lines[number].replace(old, "9.9.9", 1)


LONG = "x" * 3000 + " " + "y" * 3000


@pytest.mark.parametrize(
    "text",
    [
        "version: {}\n",
        "a:   1   # aligned\nversion:   '{}'   # kept\n\n\n# the end",
        'version: "{}"',
        "# 1.0.0\nversion: &v {}\nid: 1.0.0\n",
        "version: !!str {}\n",
        "version: &v !!str '{}'\n",
        "version:\n    {}\n",
        "{{a: [ 1,2 ,3 ],   version:   {},b: 2 }}\n",
        '{{"a": 1, "version": "{}"}}',
        "---\nversion: {}\n...\n",
        "b:\n- 1\n-   2\nc:\n    - 3\nversion: {}\n",
        f"a: {LONG}\nb: '{LONG}'\nversion: {{}}\n",
        "a: |\n  version: 1.0.0\n\n\nversion: {}\n",
        "a: >-\n  folded\n  text\nversion: {} # c\n",
        'a: "joined \\\n   lines"\nversion: {}\n',
        "a: 'ü\u2028 b\x85 c'  # 🎉\nversion: {}\n",
        "a: 1.10\nb: 0x1F\nc: yes\nd: ~\nversion: {}\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_version_is_replaced_and_every_other_byte_stays(text: str, newline: str):
    text = text.replace("\n", newline)
    assert versioned(text.format("1.0.0")) == text.format("2.10.0-rc.1")


@pytest.mark.parametrize(
    "text",
    [
        "a: &v 1.0.0\nversion: *v\n",  # it stands elsewhere
        "version: &v 1.0.0\na: *v\n",  # another value would change with it
        'version: "1.0\\x2e0"\n',
        "version: |-\n  1.0.0\n",
        "version: >-\n  1.0.0\n",
    ],
)
def test_a_version_that_is_not_written_at_its_place_is_refused(text: str):
    with pytest.raises(ContractError, match=r"'1\.0\.0' was not found at this place"):
        versioned(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "waivers:\n  - {}\n"),
        ("# mine\n", "# mine\nwaivers:\n  - {}\n"),
        ("a: 1 # b", "a: 1 # b\nwaivers:\n  - {}\n"),
        ("waivers:\n", "waivers:\n  - {}\n"),
        ("waivers: []   # none yet\nb: 1\n", "waivers:   # none yet\n  - {}\nb: 1\n"),
        ("waivers: ~ # none\n", "waivers: # none\n  - {}\n"),
        ("waivers: [ {code: E1} ] # one\n", "waivers: [{}, {code: E1} ] # one\n".replace("[{}, ", "[{},  ")),
        ("waivers: [\n  {code: E1}, # why\n]\n", "waivers: [{}, \n  {code: E1}, # why\n]\n"),
        ("{a: 1, waivers: []}\n", "{a: 1, waivers: [{}]}\n"),
        ("{a: 1}\n", "{waivers: [{}], a: 1}\n"),
        ("{}\n", "{waivers: [{}]}\n"),
        ("waivers:\n- code: E1\n  path: x\nb: 1\n", "waivers:\n- code: E1\n  path: x\n- {}\nb: 1\n"),
        ("waivers:\n    -   code: E1\n", "waivers:\n    -   code: E1\n    - {}\n"),
        ("waivers:\n  -\n      code: E1\n", "waivers:\n  -\n      code: E1\n  - {}\n"),
        ("waivers: # all\n\n  # one\n  - {code: E1}", "waivers: # all\n\n  # one\n  - {code: E1}\n  - {}\n"),
        (
            "waivers:\n  - {code: E1}   # last\n    # of it\n\n  # - {code: E2}\n# b\nb: 1\n",
            "waivers:\n  - {code: E1}   # last\n    # of it\n  - {}\n\n  # - {code: E2}\n# b\nb: 1\n",
        ),
        ("waivers: &w\n  - &e {code: E1}\n  - *e\nb: *w\n", None),
        ("waivers:\n  - &e {code: E1}\n  - *e\nb: 1\n", "waivers:\n  - &e {code: E1}\n  - *e\n  - {}\nb: 1\n"),
        ("waivers:\n  - code: |\n      # text\n\nb: 1\n", "waivers:\n  - code: |\n      # text\n  - {}\n\nb: 1\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_entry_is_added_to_a_list_and_every_other_byte_stays(before: str, after: str | None, newline: str):
    before = before.replace("\n", newline)
    if after is None:  # another value would change with it
        with pytest.raises(SettingError, match="'waivers' cannot be changed"):
            append(before, "x.yaml", "waivers", ENTRY)
        return
    changed = append(before, "x.yaml", "waivers", ENTRY)
    mark = newline if newline in before else "\n"
    assert changed == after.replace("\n", mark).replace("{}", WRITTEN)
    assert ENTRY in yaml_text.parse(changed, "x.yaml")["waivers"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "x.yaml is not a mapping of settings"),
        ("waivers: {a: 1}\n", "x.yaml:1: 'waivers' is no list"),
        ("a: 1\nwaivers: some\n", "x.yaml:2: 'waivers' is no list"),
        ("a: &a [{code: E1}]\nwaivers: *a\n", "x.yaml: 'waivers' cannot be changed"),
        ("a: 1\n...\n", "cannot be"),
    ],
)
def test_what_cannot_be_added_is_refused(text: str, message: str):
    with pytest.raises((SettingError, ContractError), match=message):
        append(text, "x.yaml", "waivers", ENTRY)


FIELDS = """properties:
- name: id   # the key
  # never null
  required: true
- {name: amount, required: true}
- name:
    "a
    b"
  required: false
- name: 'last'
  description: >
    folded


  tags: [ a,b ]"""
TYPED = """properties:
- name: id   # the key
  physicalType: bigint
  # never null
  required: true
- {physicalType: "decimal(9,2)", name: amount, required: true}
- name:
    "a
    b"
  physicalType: bigint
  required: false
- name: 'last'
  physicalType: bigint
  description: >
    folded


  tags: [ a,b ]"""


def new_keys(text: str) -> list[NewKey]:
    fields: list[Map] = yaml_text.parse(text, "x.yaml")["properties"]
    types = {"amount": "decimal(9,2)"}
    return [NewKey(field.key_places["name"], "physicalType", types.get(field["name"], "bigint")) for field in fields]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_keys_are_added_and_every_other_byte_stays(newline: str):
    text = FIELDS.replace("\n", newline)
    assert add_keys(text, "x.yaml", new_keys(text)) == TYPED.replace("\n", newline)


def test_a_key_beside_an_alias_stands_below_it_and_none_is_written_into_what_an_alias_repeats():
    text = "a: &n id\nproperties:\n- name: *n\n  required: true\n"
    assert add_keys(text, "x.yaml", new_keys(text)).splitlines()[3] == "  physicalType: bigint"
    text = "properties:\n- &f {name: id}\n- *f\n"
    with pytest.raises(ContractError, match="physicalType cannot be written into this text"):
        add_keys(text, "x.yaml", new_keys(text)[:1])
