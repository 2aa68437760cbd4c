"""The demo: the week comes out as told, and the commands it leaves its reader with run."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, run_floe, run_shell
from tests.helpers.pages import fences

pytestmark = pytest.mark.spark


def told(folder: Path) -> str:
    words = [sys.executable, str(ROOT / "examples/lakehouse/demo.py"), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_week_comes_out_as_told_and_its_commands_run(tmp_path: Path):
    folder = tmp_path / "demo"
    story = told(folder)
    assert "\x1b" not in story  # colours are for terminals
    assert "1,070 rows to silver.sales.orders (delta), 30 rows to quarantine" in story
    assert "6 rows to silver.sales.orders (delta), 24 rows to quarantine" in story
    assert "batch 2026-11-13 is in silver.sales.orders (1,100 rows" in story

    assert "FLOE-E525: Consumers of 'sales.orders/orders' have not signed off 2.0.0: churn-model" in story
    assert "sales.orders/orders:2.0.0  created, MAJOR" in story

    assert "FLOE-E560 error freshness" in story
    said = re.findall(r'"(?:contractName|contract)": "(.*)"', story)
    assert said == ["sales.customer_360/customers"] * 2  # the event's and the alert's
    labels = r'floe_contract_violations_total\{code="FLOE-E560",contract="sales.customer_360/customers"'
    assert len(re.findall(labels, story)) == 1
    assert "1 open incident" in story

    readme = next(f.text for f in fences(ROOT / "README.md") if "$ floe enforce" in f.text)
    assert [line for line in readme.splitlines() if line not in story.splitlines()] == []

    runs = json.loads(run_floe("runs", "--limit", "100", "--format", "json", cwd=folder).stdout)["runs"]
    broken = [
        (one, *(each["code"] for each in one["violations"] if each["outcome"] == "fail")) for one in reversed(runs)
    ]
    refused = [(one["table_id"], *codes) for one, *codes in broken if one["refused"]]
    assert refused == [
        ("silver.sales.orders", "FLOE-E530"),
        ("silver.marketing.visits", "FLOE-E554", "FLOE-E554"),  # its minimum, and its range rule
        ("silver.sales.orders", "FLOE-E532"),
        ("gold.marketing.customer_features", "FLOE-E558"),
    ]
    tested = run_floe("test", "silver.sales.orders", "--format", "json", cwd=folder)
    # five days of 1,000; of Wednesday's 25 bad new orders 5 were cancelled, and came back
    assert (tested.returncode, json.loads(tested.stdout)["results"][0]["rows"]) == (0, 4980)

    assert "customer_features" in (folder / "report.html").read_text()
    assert "sales.customer_360/customers" in (folder / "figures.html").read_text()

    commands = re.findall(r"^  (floe .*?) +#", story, re.MULTILINE)
    assert len(commands) > 5
    for line in commands:
        done = run_shell(line, folder)
        assert done.returncode == 0, line + done.stderr


def test_a_folder_that_is_no_demos_is_left_alone(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("dear")
    words = [sys.executable, str(ROOT / "examples/lakehouse/demo.py"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, (tmp_path / "mine.txt").read_text()) == (1, "dear")
    assert "pass another folder" in done.stderr
