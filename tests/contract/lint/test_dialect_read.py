"""E502 dialect-read."""

from floe.contract.formats import read
from floe.contract.lint.rule import findings
from floe.contract.lint.rules.dialect_read import dialect_read
from floe.model import Severity


def test_a_dialect_is_said_with_the_command_that_converts_it():
    contract, _ = read("table_id: silver.web.hits\nschema_version: 1\ncolumns: [{name: a, type: int}]\n", "hits.yaml")
    assert contract is not None
    [finding] = findings(contract, (dialect_read,))
    assert finding.message == "The contract is written in dialect C and was read as ODCS v3.1.0"
    assert finding.suggestion == "Convert it with `floe convert hits.yaml --to odcs`"
    assert (finding.code, finding.severity, finding.place) == ("E502", Severity.INFO, ("hits.yaml", 1, 1))


def test_odcs_is_no_dialect():
    contract, _ = read("apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n", "a.yaml")
    assert contract is not None
    assert findings(contract, (dialect_read,)) == []
