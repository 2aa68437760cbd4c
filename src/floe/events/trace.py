"""Traces: spans of OpenTelemetry around floe's work; nothing is imported unless it is enabled."""

import atexit
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

from floe.model import FloeError
from floe.model.result import Result
from floe.settings import Settings
from floe.system.private_files import open_private
from floe.version import __version__

Say = Callable[..., None]  # gives the span more attributes
_SECONDS = 2.0  # for which the end of a process may wait for a collector


def span(settings: Settings, name: str, **said: Any) -> AbstractContextManager[Say]:
    """A span around some work, where traces are wanted; it holds names, counts and outcomes, no values of rows."""
    exporter = settings.traces.exporter
    provider = _hosts() or (_own(exporter, settings.path(settings.traces.path)) if exporter != "none" else None)
    return _spanning(provider, name, said, settings.traceparent) if provider else nullcontext(_silent)


def facts_of(result: Result) -> dict[str, Any]:
    """The attributes of a span for a result."""
    worst = (*result.failed, *result.not_evaluated)[:1]
    said = {"contract": result.contract, "version": result.version, "outcome": result.outcome, "rows": result.rows}
    return {**said, "broken": len(result.failed), "code": f"FLOE-{worst[0].code}" if worst else None}


def _silent(**_: Any) -> None:
    """A span without exporter."""


def _hosts() -> Any:
    """The provider of the program that we run in, where it has one: our spans belong to its own."""
    api, sdk = sys.modules.get("opentelemetry.trace"), sys.modules.get("opentelemetry.sdk.trace")
    provider = api.get_tracer_provider() if api and sdk else None
    return provider if sdk and isinstance(provider, sdk.TracerProvider) else None


@contextmanager
def _spanning(provider: Any, name: str, said: dict[str, Any], parent: str | None) -> Iterator[Say]:
    from opentelemetry.trace import Status, StatusCode, get_current_span  # noqa: PLC0415  (an extra of its own)
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    outer = get_current_span().get_span_context().is_valid
    context = None if outer or not parent else TraceContextTextMapPropagator().extract({"traceparent": parent})
    tracer = provider.get_tracer("floe", __version__)
    with tracer.start_as_current_span(name, context, record_exception=False, set_status_on_exception=False) as made:

        def say(**more: Any) -> None:
            made.set_attributes({f"floe.{key}": _plain(value) for key, value in more.items() if value is not None})

        say(**said)
        try:
            yield say
        except Exception as error:
            # an engine's message may contain rows: only the type is sent, with the code of floe's own errors
            code = getattr(error, "code", None) if isinstance(error, FloeError) else None
            say(error=type(error).__name__, code=f"FLOE-{code}" if code else None)
            made.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float) else str(value)


@lru_cache(maxsize=8)
def _own(exporter: str, path: Path) -> Any:
    """A provider that exports as the settings say; None without OpenTelemetry, which is logged once."""
    try:
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        target = _exporter(exporter, path)
    except ModuleNotFoundError as error:
        logging.getLogger("floe.traces").warning(
            "no traces are sent: the Python package '%s' is not installed (pip install 'floe-contracts[traces]')",
            error.name,
        )
        return None
    resource = Resource.create()
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "floe", "service.version": __version__}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(target, export_timeout_millis=_SECONDS * 1000))
    atexit.register(provider.shutdown)
    return provider


def _exporter(name: str, path: Path) -> Any:
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SpanExporter, SpanExportResult  # noqa: PLC0415

    class FileExporter(SpanExporter):
        """A span a line."""

        def export(self, spans: Any) -> Any:
            with open_private(path, "a", encoding="utf-8") as file:
                file.writelines(value.to_json(indent=None) + "\n" for value in spans)
            return SpanExportResult.SUCCESS

    if name == "otlp":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

        logging.getLogger("opentelemetry.exporter").setLevel(logging.ERROR)  # each retry is no news
        return OTLPSpanExporter(timeout=_SECONDS)
    return FileExporter() if name == "file" else ConsoleSpanExporter(out=sys.stderr)
