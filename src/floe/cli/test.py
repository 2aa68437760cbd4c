"""`floe test`."""

import argparse

from floe.actions.find_table import Way
from floe.actions.settings import load_settings
from floe.actions.verify import VerifyResult, verify_tables
from floe.cli.named import named_table
from floe.cli.output import print_json, say, style
from floe.model import Severity
from floe.tell.report.result_text import result_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("contracts", nargs="+", metavar="CONTRACT", help="a table_id, a contract's id or path")
    parser.add_argument("--table", help="the table: a catalog name or a path (default: found by the contract)")
    parser.add_argument(
        "--reference",
        type=named_table,
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="the table of a dataset that keys refer to, where it is not found; can be repeated",
    )
    parser.add_argument("--server", help="the contract's server, by name or environment, where it has several")
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="ID",
        help="an expectation that may stay not evaluated; can be repeated",
    )
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error", "critical"),
        default="error",
        help="the severity from which a broken promise is exit code 1 (default: error)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Judge the tables; exit 1 where a promise is broken, 2 where one was not evaluated and none is broken."""
    result = verify_tables(
        options.contracts, Way(options.table, options.server, dict(options.reference)), load_settings(say=say)
    )
    if options.format == "json":
        print_json({**result.to_dict(), "accepted": options.accept})
    else:
        print("\n\n".join(result_text(one, style()) for one in result.results))
    return _exit_code(result, Severity.of(options.fail_on), set(options.accept))


def _exit_code(result: VerifyResult, limit: Severity, accepted: set[str]) -> int:
    if any(outcome.severity >= limit for one in result.results for outcome in one.failed):
        return 1
    return 2 if any(outcome.id not in accepted for one in result.results for outcome in one.not_evaluated) else 0
