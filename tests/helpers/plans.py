"""Plans of small contracts."""

from floe.contract.formats import read
from floe.engine.plan import make_plan as plan
from floe.model.plan import Plan

HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\nschema:\n  - name: t\n    properties:\n"


def plan_of(properties: str) -> Plan:
    indented = "".join(f"      {line}\n" for line in properties.strip("\n").splitlines())
    contract, findings = read(HEAD + indented, "x.yaml")
    assert contract is not None, findings
    return plan(contract, contract.datasets[0])
