"""Traces: what a collector gets of floe's work, and that nothing waits for one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.conftest import run_floe
from tests.helpers.endpoint import Endpoint, endpoint
from tests.helpers.monitored import fill, promise

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
PORTS = """metadata: {name: shop, domain: sales, version: 1.0.0, owner: sales@acme.com, repository: github.com/acme/shop}
output_ports: [{name: orders, table: silver.sales.orders, columns: {order_id: bigint}}]
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A table whose last commit is three hours old, which its log says without Spark."""
    promise(tmp_path, "orders")
    (log,) = (fill(tmp_path, "orders") / "_delta_log").glob("*.json")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["timestamp"] -= 3 * 3_600_000
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def received(server: Endpoint) -> list[tuple[str, dict[str, object], str, str]]:
    """The spans a collector got: name, attributes, trace and parent."""
    found = []
    for got in server.got:
        assert got.path == "/v1/traces"
        request = ExportTraceServiceRequest.FromString(got.body)
        for resource in request.resource_spans:
            assert {one.key: one.value.string_value for one in resource.resource.attributes}["service.name"] == "floe"
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                said = {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in span.attributes}
                found.append((span.name, said, span.trace_id.hex(), span.parent_span_id.hex()))
    return found


def test_a_collector_gets_the_spans_of_test_and_monitor_as_part_of_the_orchestrators_trace(shop: Path):
    with endpoint() as server:
        given = {"OTEL_EXPORTER_OTLP_ENDPOINT": server.url, "TRACEPARENT": PARENT}
        assert run_floe("monitor", "check", "--all", cwd=shop, **given).returncode == 1
        assert run_floe("test", "silver.shop.orders", cwd=shop, **given).returncode == 1
        spans = received(server)
    assert [name for name, *_ in spans] == ["floe.monitor.check", "floe.test"]
    for _, said, trace, parent in spans:
        assert (trace, parent) == (TRACE, PARENT.split("-")[2])
        assert (said["floe.contract"], said["floe.version"], said["floe.dataset"]) == (
            "shop.p/orders",
            "1.0.0",
            "orders",
        )
        assert (said["floe.outcome"], said["floe.code"], said["floe.rows"]) == ("fail", "FLOE-E560", 2)
    runs = json.loads(run_floe("runs", "--format", "json", cwd=shop).stdout)["runs"]
    assert {said["floe.run_id"] for _, said, *_ in spans} == {one["run_id"] for one in runs}


def test_spans_go_to_a_file_and_the_setting_wins_over_the_environment(tmp_path: Path):
    (tmp_path / "floe.yaml").write_text(PORTS)
    given = {"FLOE_TRACES_EXPORTER": "file", "OTEL_TRACES_EXPORTER": "otlp"}
    assert run_floe("compile", ".", cwd=tmp_path, **given).returncode == 0
    (line,) = (tmp_path / ".floe/traces.jsonl").read_text().splitlines()
    said = json.loads(line)
    assert said["name"] == "floe.compile"
    assert (said["attributes"]["floe.contracts"], said["attributes"]["floe.failed"]) == (1, False)


def test_a_console_is_the_error_stream(tmp_path: Path):
    (tmp_path / "floe.yaml").write_text(PORTS)
    done = run_floe("compile", ".", "--format", "json", cwd=tmp_path, OTEL_TRACES_EXPORTER="console")
    assert json.loads(done.stdout)["summary"]["contracts"] == 1
    assert '"name": "floe.compile"' in done.stderr
    off = run_floe("compile", ".", cwd=tmp_path, OTEL_TRACES_EXPORTER="console", OTEL_SDK_DISABLED="true")
    assert "floe.compile" not in off.stderr


def test_a_collector_that_is_gone_or_never_answers_changes_nothing(shop: Path):
    with endpoint() as server:
        server.answers = ["stall"]
        for url in (server.url, "http://127.0.0.1:9"):
            done = run_floe("monitor", "check", "--all", cwd=shop, OTEL_EXPORTER_OTLP_ENDPOINT=url)
            assert (done.returncode, "FLOE-E560" in done.stdout) == (1, True)


def test_an_error_is_told_by_its_type_and_code_alone(tmp_path: Path):
    from floe.actions.load.settings import load_settings
    from floe.events.trace import _own, span
    from floe.model import TableError

    settings = load_settings({"traces.exporter": "file"}, start=tmp_path)
    with pytest.raises(TableError), span(settings, "floe.test", rows=None):
        raise TableError("the value bob@acme.com cannot be read", "", "E580")
    _own("file", settings.path(settings.traces.path)).force_flush()
    text = (tmp_path / ".floe/traces.jsonl").read_text()
    said = json.loads(text)
    assert (said["status"]["status_code"], said["attributes"]["floe.error"]) == ("ERROR", "TableError")
    assert "bob@acme.com" not in text


HOST = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
memory, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(provider)
import floe
with trace.get_tracer("airflow").start_as_current_span("task"):
    floe.compile(".")
inner, outer = memory.get_finished_spans()
assert (inner.name, outer.name, inner.parent.span_id) == ("floe.compile", "task", outer.context.span_id)
"""
QUIET = """
import sys, floe
floe.compile(".")
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""


@pytest.mark.parametrize("script", [HOST, QUIET], ids=["a program with spans of its own", "nobody asked"])
def test_in_another_program(tmp_path: Path, script: str):
    (tmp_path / "floe.yaml").write_text(PORTS)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
