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
    ("rules", "print alert rules for Prometheus", alert_rules),
    ("dashboard", "print a dashboard for Grafana", dashboard),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    _check(verbs.add_parser("check", help="look at tables now: everything that can be asked of them"))
    _run(verbs.add_parser("run", help="go on looking: each kind of check at its interval, with metrics over HTTP"))
    _status(verbs.add_parser("status", help="what was seen last, and the incidents that are open"))
    for name, purpose, text in _READY:
        verbs.add_parser(name, help=purpose).set_defaults(run=partial(_print, text))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "".join(below.format_usage() for below in verbs.choices.values())


def _print(text: Callable[[], str], _: argparse.Namespace) -> int:
    print(text().rstrip("\n"))
    return 0


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contracts", nargs="*", metavar="CONTRACT", help="a table_id, a contract's id or path")
    parser.add_argument("--all", action="store_true", help="every contract: compiled, below contracts/, or registered")
    parser.add_argument(
        "--format", choices=("text", "json", "prometheus"), default="text", help="how to answer (default: text)"
    )
    parser.set_defaults(run=check)


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contracts", nargs="*", metavar="CONTRACT", help="which (default: every contract)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)")
    parser.add_argument("--port", type=port, default=9108, help="the port (default: 9108; 0 takes a free one)")
    parser.add_argument("--once", action="store_true", help="look at everything once, listen at no port, and end")
    parser.add_argument("--log", choices=("text", "json"), default="text", help="how to log (default: text)")
    parser.add_argument(
        "--timeout", type=_seconds, default=300.0, help="seconds until a look is given up (default: 300)"
    )
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    if not text.isdigit() or not 1 <= int(text) <= 86_400:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds from 1 to 86400")
    return float(text)


def _status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=status)


def check(options: argparse.Namespace) -> int:
    """Look at the tables; exit 1 where one is broken, 2 where something was not evaluated and nothing is broken."""
    if options.contracts and options.all:
        raise SettingError("Contracts are named and --all is given", "Name some, or take all: floe monitor check --all")
    if not options.contracts and not options.all:
        raise SettingError("No contract is named", "Name some, or take all: floe monitor check --all")
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
        say(f"· {listening.place}/metrics, /health and /ready; SIGTERM or Ctrl-C ends it")
        try:
            watch_on(service)
        finally:
            listening.stop()
    say("· stopped")
    return 0


def _log(form: str) -> None:
    """Say on the error stream what happens, for people or for programs."""
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
