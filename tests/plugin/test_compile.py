"""The architecture's names, on real files, compared with the command."""

import json
from pathlib import Path

import pytest

import floe
from floe.plugin import (
    ODCSDataContractPlugin,
    PolicyEnforcer,
    generate_contract_from_ports,
    merge_contracts,
    validate_inheritance,
)
from tests.helpers.products import DOCUMENT, HEAD, PRODUCT, compiled, write


def test_enforcer_finds_and_judges_what_compile_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, floe=PRODUCT, manifest="policies: [{name: help, require: support}]\n")
    _, shown = compiled(tmp_path)
    monkeypatch.chdir(tmp_path)
    enforcer = PolicyEnforcer()
    contracts = enforcer.discover_contracts(tmp_path)
    assert [one.identity for one in contracts] == ["sales.customer_360/customers:1.0.0"]
    found = [one.to_dict() for one in enforcer.validate_data_contracts(contracts)]
    assert json.loads(json.dumps(found)) == shown["findings"]
    write(tmp_path, floe="metadata: {}")
    with pytest.raises(floe.ContractError):
        enforcer.discover_contracts(tmp_path)


def test_ports_make_a_contract_and_a_document_goes_over_it(tmp_path: Path):
    ports = [{"name": "a", "table": "silver.d.a", "columns": {"x": "int"}}, {"name": "b", "columns": {"y": "string"}}]
    metadata = {"name": "p", "domain": "d", "version": "2.0.0", "owner": "o", "repository": "r"}
    generated = generate_contract_from_ports(ports, [], metadata)
    assert [(one.name, str(one.schema)) for one in generated.datasets] == [
        ("a", "struct<x:int>"),
        ("b", "struct<y:string>"),
    ]
    document = HEAD.format(id="a") + "schema: [{name: a, properties: [{name: x, required: true}]}]\n"
    merged = merge_contracts(generated, floe.load(document))
    assert (merged.version, merged.owner, str(merged.datasets[0].schema)) == ("1.0.0", "o", "struct<x:int not null>")
    with pytest.raises(floe.ContractError, match="has two types"):
        merge_contracts(generated, floe.load(document.replace("required: true", "physicalType: date")))


def test_inheritance_in_sentences():
    parent = HEAD.format(id="p") + "slaProperties: [{property: freshness, value: PT6H}]\n"
    child = DOCUMENT % "p" + "slaProperties: [{property: freshness, value: PT12H}]\n"
    assert validate_inheritance(floe.load(parent), floe.load(child)) == [
        "FLOE-E510: Child contract weakens 'freshness' SLA. Parent requires PT6H, child specifies PT12H"
    ]
    assert validate_inheritance(floe.load(parent), floe.load(parent)) == []


def test_the_plugin_has_the_same_names(tmp_path: Path):
    plugin = ODCSDataContractPlugin()
    metadata = {"name": "p", "domain": "d", "version": "2.0.0", "owner": "o", "repository": "r"}
    generated = plugin.generate_contract_from_ports([{"name": "a", "columns": {"x": "int"}}], [], metadata)
    document = floe.load(HEAD.format(id="a") + "schema: [{name: a, properties: [{name: x, required: true}]}]\n")
    assert str(plugin.merge_contracts(generated, document).datasets[0].schema) == "struct<x:int not null>"
    assert plugin.validate_inheritance(document, document) == []
