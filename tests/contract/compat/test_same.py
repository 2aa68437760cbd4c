"""A contract is no change of itself, however its keys stand; and wide contracts are compared in linear time."""

import time
from pathlib import Path

import pytest

from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.formats import read

_ROOT = Path(__file__).parents[3]
_FOLDERS = ("tests/cases/odcs", "tests/cases/dialects", "tests/cases/convert", "examples")
EXAMPLES = sorted(path for folder in _FOLDERS for path in (_ROOT / folder).rglob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_no_change_of_itself(path):
    contract, _ = read(path.read_bytes(), path.name)
    again, _ = read(path.read_bytes(), path.name)
    if contract and again:
        assert changes(contract, again, CHANGES) == []


def _wide(columns, type_):
    head = (
        "apiVersion: v3.1.0\nkind: DataContract\nid: w\nname: w\nversion: 1.0.0\nstatus: active\nschema:\n- name: t\n"
    )
    rows = [f"  - {{name: {name}, physicalType: {type_}}}" for name in columns]
    contract, _ = read("\n".join([head + "  properties:", *rows]) + "\n", "w.yaml")
    return contract


def test_thousands_of_new_names_take_no_square_of_their_number():
    names = range(4_000)
    old, new = _wide([f"a{n}" for n in names], "int"), _wide([f"b{n}" for n in names], "int")
    begin = time.process_time()
    assert len(changes(old, new, CHANGES)) == 8_000
    assert time.process_time() - begin < 3
