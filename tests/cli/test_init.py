"""`floe init`, `floe completion`, `floe.load`: what a newcomer types first."""

import subprocess
from pathlib import Path

import pytest
from deltalake import write_deltalake

import floe
from floe.cli import main
from tests.conftest import CONTRACT, run_floe_here


def test_a_new_folder_lints_clean_and_helps_the_editor(tmp_path: Path):
    made = run_floe_here("init", "shop", "--domain", "commerce", "--table", "orders", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    contract = tmp_path / "shop/contracts/silver/commerce/orders.yaml"
    first = contract.read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=../../odcs-v3.1.0.schema.json"
    assert (contract.parent / "../../odcs-v3.1.0.schema.json").is_file()
    clean = run_floe_here("lint", "contracts", "--fail-on", "warning", cwd=tmp_path / "shop")
    assert clean.returncode == 0, clean.stdout
    found = floe.load(contract)
    assert (found.identity, found.table_id(found.datasets[0])) == (
        "commerce.shop/orders:1.0.0",
        "silver.commerce.orders",
    )
    assert "table: silver.commerce.orders" in (tmp_path / "shop/floe.yaml").read_text()


def test_nothing_that_is_there_is_overwritten(tmp_path: Path):
    (tmp_path / "floe.yaml").write_text("mine")
    refused = run_floe_here("init", cwd=tmp_path)
    assert (refused.returncode, "floe.yaml already exists" in refused.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["floe.yaml"]


@pytest.mark.parametrize(
    "words", [["--domain", "Sales Dept"], ["--table", "a/b"], ["--layer", "copper"], ["--from", "no.sql"]]
)
def test_wrong_words_write_nothing(tmp_path: Path, words: list[str]):
    refused = run_floe_here("init", "x", *words, cwd=tmp_path)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_delta_table_is_offered_and_started_from(tmp_path: Path):
    import pyarrow as pa

    rows = pa.table({"id": pa.array([1], pa.int64()), "price": pa.array([None], pa.decimal128(9, 2))})
    write_deltalake(str(tmp_path / "lake/prices"), rows)
    offered = run_floe_here("init", "--product", "x", cwd=tmp_path)
    assert "a Delta table found: floe init --from lake/prices uses it" in offered.stderr
    made = run_floe_here("init", "new", "--domain", "sales", "--from", "lake/prices", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    contract = floe.load(tmp_path / "new/contracts/silver/sales/prices.yaml")
    assert str(contract.datasets[0].schema) == "struct<id:bigint,price:decimal(9,2)>"
    assert contract.table_id(contract.datasets[0]) == "silver.sales.prices"


def test_ddl_with_several_tables_makes_a_contract_each(tmp_path: Path):
    (tmp_path / "shop.sql").write_text("CREATE TABLE a (id BIGINT NOT NULL);\nCREATE TABLE b (x STRING);\n")
    made = run_floe_here("init", "new", "--from", "shop.sql", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert run_floe_here("lint", "new/contracts", cwd=tmp_path).returncode == 0


def test_bash_completes_commands_and_options():
    script = "source <(floe completion bash); COMP_WORDS=(floe en); COMP_CWORD=1; _floe; echo ${COMPREPLY[@]}; "
    script += "COMP_WORDS=(floe lint --fo); COMP_CWORD=2; _floe; echo ${COMPREPLY[@]}"
    from tests.conftest import FLOE

    done = subprocess.run(
        ["bash", "-c", script.replace("floe completion", f"{FLOE} completion")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["enforce", "--format"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(shell: str, tmp_path: Path):
    from floe.cli.main import COMMANDS

    said = run_floe_here("completion", shell, cwd=tmp_path).stdout
    assert [name for name in COMMANDS if name not in said] == []


def test_a_contract_prints_well():
    contract = floe.load(CONTRACT)
    assert str(contract).splitlines() == [
        "commerce.orders/orders_clean:1.0.0 (active, ODCS v3.1.0)",
        "  orders_clean: 6 fields, key order_id",
        "    order_id     bigint                              key",
        "    customer_id  string                              required",
        "    order_ts     timestamp                           required",
        "    status       string                              required, listed values",
        "    amount       decimal(14,2)                       required, minimum 0, maximum 1000000",
        "    ship_to      struct<country:string,city:string>",
    ]
    page = contract._repr_html_()
    assert "<b>commerce.orders/orders_clean:1.0.0</b>" in page
    assert (
        "<script>" not in floe.load(CONTRACT.read_text().replace("name: customer_id", "name: <script>"))._repr_html_()
    )


def test_a_folder_whose_name_is_no_word_asks_for_the_product(tmp_path, capsys):
    folder = tmp_path / "Café 360"
    assert main(["init", str(folder)]) == 2
    assert capsys.readouterr().err == (
        "✗ The folder name 'Café 360' is not a valid product name\n    Suggestion: Add --product NAME\n"
    )
    assert not folder.exists()
    assert main(["init", str(folder), "--product", "cafe_360"]) == 0


def test_a_file_is_no_folder_to_start_in(tmp_path, capsys):
    (tmp_path / "notes").write_text("x")
    assert main(["init", str(tmp_path / "notes")]) == 2
    assert "notes is a file" in capsys.readouterr().err
