"""The commands of docs/registry.md about registered contracts, as a reader types them, one after the other."""

from pathlib import Path

from tests.conftest import ROOT, run_shell
from tests.helpers.consumers import FIELDS, contract_text, register_text
from tests.helpers.pages import fences

NAMES = ("sales.shop/orders", "sales.shop/orders_new", "fin.books/report")


def test_the_commands_of_the_page_run_in_their_order(tmp_path: Path):
    for name in NAMES:
        register_text("sqlite:///.floe/registry.db", tmp_path, contract_text(name))
    changed = FIELDS.replace("          - {name: zip, logicalType: string, physicalType: string}\n", "")
    (tmp_path / "old.yaml").write_text(contract_text())
    (tmp_path / "new.yaml").write_text(contract_text(version="2.0.0", fields=changed))
    typed = [
        line
        for fence in fences(ROOT / "docs" / "registry.md")
        if fence.words == ("sh", "registered")
        for line in fence.text.splitlines()
    ]
    assert len(typed) > 5
    for line in typed:
        done = run_shell(line, tmp_path)
        assert done.returncode == 0, (line, done.stderr)
