"""Where a contract's table is: no domain and no name of a contract leads out of its folder of the warehouse."""

from pathlib import Path

import pytest

from floe.actions.load.settings import load_settings
from floe.model import Contract, Dataset, TableError
from floe.tables.locate import TableSelector, find_target


def place(root: Path, domain: str, name: str) -> str | None:
    dataset = Dataset(name="orders", physical_name=name)
    contract = Contract(
        api_version="v3.1.0",
        id="x",
        version="1.0.0",
        name="orders",
        domain=domain,
        datasets=(dataset,),
        custom={"layer": "silver"},
    )
    return find_target(load_settings(start=root), contract, dataset, TableSelector(), None).path


def test_a_table_is_in_the_folder_of_its_layer_and_domain(tmp_path: Path):
    home = tmp_path / ".floe" / "warehouse" / "silver_sales"
    assert place(tmp_path, "sales", "orders") == str(home / "orders")
    assert place(tmp_path, "sales", "silver.sales.orders") == str(home / "orders")
    assert place(tmp_path, "sales", "landing/orders") == str(home / "landing" / "orders")
    assert place(tmp_path, "sales", "/lake/orders") == "/lake/orders"  # said in full, as a server's path may be


@pytest.mark.parametrize(
    ("domain", "name"),
    [("sales", "../../evil"), ("sales", "silver.sales.x/../../y"), ("a/b", "orders")],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, domain: str, name: str):
    with pytest.raises(TableError) as caught:
        place(tmp_path, domain, name)
    assert caught.value.code == "E507"
