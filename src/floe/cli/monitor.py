"""`floe monitor`."""

import argparse
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from floe import registry
from floe.actions.load.settings import load_settings
from floe.actions.monitor import MonitorResult, monitor_check, monitor_status
from floe.actions.outbox import send_due
from floe.cli.output import print_json, say, style
from floe.cli.port import port
from floe.cli.progress import progress
from floe.events.dashboards import alert_rules, dashboard
from floe.events.log_json import JsonLines
from floe.lang.json_text import dumps
from floe.model import EngineError, SettingError
from floe.reports.text.monitor import monitor_text, status_text

_READY = (
    ("rules", "print Prometheus alerting rules", alert_rules),
    ("dashboard", "print a Grafana dashboard", dashboard),
)

EXAMPLES = (
    "floe monitor check --all",
    "floe monitor run --port 9108",
    "floe monitor status",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    _check(_verb(verbs, "check", "run all checks once, now"))
    _run(_verb(verbs, "run", "run each check at its interval and serve metrics over HTTP"))
    _status(_verb(verbs, "status", "show the latest outcomes and the open incidents"))
    for name, purpose, text in _READY:
        _verb(verbs, name, purpose).set_defaults(run=partial(_print, text))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "".join(below.format_usage() for below in verbs.choices.values())


def _verb(verbs: Any, name: str, purpose: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}."
    )
    return parser


def _print(text: Callable[[], str], _: argparse.Namespace) -> int:
    print(text().rstrip("\n"))
    return 0


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "contracts", nargs="*", metavar="CONTRACT", help="a table_id (silver.sales.orders), a contract id or a path"
    )
    parser.add_argument("--all", action="store_true", help="all contracts: compiled, below contracts/, or registered")
    parser.add_argument(
        "--format", choices=("text", "json", "prometheus"), default="text", help="output format (default: text)"
    )
    parser.set_defaults(run=check)


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contracts", nargs="*", metavar="CONTRACT", help="contract to monitor (default: all contracts)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port", type=port, default=9108, help="port to listen on; 0 takes a free port (default: 9108)"
    )
    parser.add_argument("--once", action="store_true", help="run all checks once without HTTP, then exit")
    parser.add_argument("--log", choices=("text", "json"), default="text", help="log format (default: text)")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=300.0,
        metavar="SECONDS",
        help="give up on a check after this time (default: 300)",
    )
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    if not text.isdigit() or not 1 <= int(text) <= 86_400:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds from 1 to 86400")
    return float(text)


def _status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=status)


def check(options: argparse.Namespace) -> int:
    """Check the tables; exit 1 if one failed, 2 if something was not evaluated and nothing failed."""
    if options.contracts and options.all:
        raise SettingError(
            "Contracts and --all cannot be combined", "Pass contracts, or check all: floe monitor check --all"
        )
    if not options.contracts and not options.all:
        raise SettingError("No contract given", "Pass contracts, or check all: floe monitor check --all")
    settings = load_settings(say=say)
    with progress() as phase:
        result = monitor_check(options.contracts, settings, phase)
    if any(watch.incidents for watch in result.watches):
        for line in send_due(settings).said:
            say(f"! {line}")
    print(_answer(result, options.format))
    return result.exit_code


def _answer(result: MonitorResult, form: str) -> str:
    if form == "prometheus":
        metrics = _metrics()
        for watch in result.watches:
            metrics.take(watch)
        return str(metrics.text()).rstrip("\n")
    said = result.to_dict()
    return dumps(said, indent=2) if form == "json" else monitor_text(said, style())


def _metrics() -> Any:
    try:
        from floe.events.prometheus import Metrics
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return Metrics()


def _missing(error: ModuleNotFoundError) -> EngineError:
    return EngineError(f"The Python package '{error.name}' is not installed", "pip install 'floe-contracts[monitor]'")


def run(options: argparse.Namespace) -> int:
    """Watch until SIGTERM or Ctrl-C; with --once exit as check does."""
    from floe.monitor.run import check_mode, until_told, watch_on
    from floe.monitor.service import Service

    _log(options.log)
    settings = load_settings(say=say)
    check_mode(settings)
    store, metrics = registry.open_store(settings.registry.url, settings.root), _metrics()
    service = Service(settings, store, metrics, timeout=options.timeout, names=tuple(options.contracts))
    with until_told(service):
        if options.once:
            watch_on(service, once=True)
            print(_answer(service.result, "text"))
            return service.result.exit_code
        listening = _listen(service, metrics, options)
        say(f"· {listening.place}/metrics, /health and /ready; stop with SIGTERM or Ctrl-C")
        try:
            watch_on(service)
        finally:
            listening.stop()
    say("· stopped")
    return 0


def _log(form: str) -> None:
    """Log to standard error, as text or JSON."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    if form == "json":
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonLines())


def _listen(service: Any, metrics: Any, options: argparse.Namespace) -> Any:
    try:
        from floe.server.monitor import Answers, listen
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    shown = metrics.text if service.settings.data_contracts.alerting.prometheus_metrics else None
    return listen(Answers(service.health, lambda: service.ready, shown), options.host, options.port)


def status(options: argparse.Namespace) -> int:
    """Show what is known."""
    said = monitor_status(load_settings())
    print_json(said) if options.format == "json" else print(status_text(said, style()))
    return 0
