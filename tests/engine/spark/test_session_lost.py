"""A session that is stopped, a JVM that is killed, a user who stops the command, in the middle of a test."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: urn:NAME
name: NAME
version: 1.0.0
status: active
domain: shop
dataProduct: p
schema:
  - name: NAME
    physicalName: ./NAME
    properties:
      - {name: code, physicalType: string, logicalType: string, logicalTypeOptions: {pattern: "^[a-z]+$"}}
      - {name: id, physicalType: bigint, unique: true}
"""
# ends the session as soon as the first job runs, in the process that runs the command
SCRIPT = """
import os, signal, sys, threading, time
from pyspark import SparkContext

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored

def end(how):
    while not getattr(SparkContext._active_spark_context, "_jsc", None):
        time.sleep(0.01)
    context = SparkContext._active_spark_context
    java, tracker = context._gateway.proc.pid, context._jsc.sc().statusTracker()
    while not list(tracker.getActiveJobIds()):
        time.sleep(0.005)
    if how == "stop":
        context.stop()
    else:
        os.kill(*{"kill": (java, signal.SIGKILL), "interrupt": (os.getpid(), signal.SIGINT)}[how])

threading.Thread(target=end, args=sys.argv[1:2], daemon=True).start()
from floe.cli import main
sys.exit(main(sys.argv[2:]))
"""


def ended(how: str, home: Path) -> "subprocess.CompletedProcess[str]":
    """Two tables judged, where something happens to the first job."""
    for name in ("first", "second"):
        (home / f"{name}.yaml").write_text(CONTRACT.replace("NAME", name))
        rows = 3_000_000 if name == "first" else 2  # the first job is still running when its session is ended
        write_deltalake(str(home / name), pa.table({"code": ["a"] * rows, "id": range(rows)}))
    (home / "end.py").write_text(SCRIPT)
    words = [sys.executable, "end.py", how, "test", "first.yaml", "second.yaml", "--format", "json"]
    done = subprocess.run(words, cwd=home, env=os.environ, capture_output=True, text=True, timeout=600, check=False)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.spark
def test_a_user_who_stops_the_command_does_not_wait_for_its_queries(tmp_path: Path):
    done = ended("interrupt", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (130, "", "✗ stopped")


@pytest.mark.spark
@pytest.mark.parametrize("how", [pytest.param("stop", marks=pytest.mark.soak), "kill"])
def test_what_a_lost_session_left_is_not_evaluated_and_other_tables_are_judged(how: str, tmp_path: Path):
    done = ended(how, tmp_path)
    by_name = {result["dataset"]: result for result in json.loads(done.stdout)["results"]}
    assert done.returncode == 2
    names = sorted(
        by_name, key=lambda name: by_name[name]["outcome"]
    )  # on a slow machine the moment may be the second's
    assert [by_name[name]["outcome"] for name in names] == ["not_evaluated", "pass"]
    lost = [one for one in by_name[names[0]]["expectations"] if one["outcome"] != "pass"]
    assert {one["name"] for one in lost} >= {"pattern-mismatch"}
    assert all((one["code"], one["outcome"]) == ("FLOE-E580", "not_evaluated") for one in lost)
    assert all(one["cause"].startswith("Spark: ") for one in lost)
