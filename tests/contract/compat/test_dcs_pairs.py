"""Pairs in the older Data Contract Specification, by the change that datacontract-cli's suite makes of them."""

import json

import pytest

from floe.contract.compat import CHANGES
from floe.contract.compat.diff import changes
from floe.contract.formats import read


def _contract(field):
    model = {"type": "table", "fields": {"f": {"type": "string", **field}}}
    tree = {
        "dataContractSpecification": "0.9.3",
        "id": "urn:x",
        "info": {"title": "t", "version": "1.0.0"},
        "models": {"m": model},
    }
    contract, found = read(json.dumps(tree), "a.yaml")
    assert contract, found
    return contract


@pytest.mark.parametrize(
    ("old", "new", "bump", "back"),
    [
        ({"type": "string"}, {"type": "int"}, "MAJOR", "MAJOR"),
        ({"required": False}, {"required": True}, "MAJOR", "MINOR"),
        ({}, {"primary": True}, "MAJOR", "MAJOR"),
        ({}, {"primaryKey": True}, "MAJOR", "MAJOR"),
        ({}, {"unique": True}, "MAJOR", "MAJOR"),
        ({}, {"references": "n.f"}, "MINOR", "MAJOR"),
        ({"references": "n.f"}, {"references": "o.f"}, "MAJOR", "MAJOR"),
        ({"format": "email"}, {"format": "url"}, "MAJOR", "MAJOR"),
        ({}, {"format": "email"}, "MAJOR", "MINOR"),
        ({"minLength": 8}, {"minLength": 10}, "MAJOR", "MINOR"),
        ({"maxLength": 10}, {"maxLength": 8}, "MAJOR", "MINOR"),
        ({}, {"pattern": "^a$"}, "MAJOR", "MINOR"),
        ({"type": "int", "minimum": 1}, {"type": "int", "exclusiveMinimum": 1}, "MAJOR", "MINOR"),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, "MINOR", "MAJOR"),
        ({}, {"enum": ["a"]}, "MAJOR", "MINOR"),
        ({"pii": False}, {"pii": True}, "PATCH", "PATCH"),
        ({"classification": "internal"}, {"classification": "pii"}, "PATCH", "PATCH"),
        ({"description": "a"}, {"description": "b"}, "PATCH", "PATCH"),
        ({"title": "a"}, {"title": "b"}, "PATCH", "PATCH"),
        ({"example": "a"}, {"example": "b"}, "PATCH", "PATCH"),
        ({"tags": ["a"]}, {"tags": ["b"]}, "PATCH", "PATCH"),
        (
            {"type": "number", "precision": 10, "scale": 2},
            {"type": "number", "precision": 12, "scale": 2},
            "MAJOR",
            "MAJOR",
        ),
        (
            {"type": "decimal", "precision": 10, "scale": 2},
            {"type": "number", "precision": 10, "scale": 2},
            "NONE",
            "NONE",
        ),
    ],
)
def test_a_field_of_the_older_specification(old, new, bump, back):
    one, other = _contract(old), _contract(new)
    found = [changes(*pair, CHANGES) for pair in ((one, other), (other, one))]
    assert [str(found_[0].bump) if found_ else "NONE" for found_ in found] == [bump, back]
