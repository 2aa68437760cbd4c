"""`floe test`."""

import argparse

from floe.actions.verify import VerifyResult, verify_tables
from floe.cli.named import named
from floe.cli.output import style
from floe.cli.progress import progress
from floe.cli.spark_options import add_spark_options, spark_settings
from floe.engine.plan.where import scope_of
from floe.lang.json_text import dumps
from floe.model import Severity
from floe.reports.github.result import result_github
from floe.reports.html.result import result_html
from floe.reports.junit.result import result_junit
from floe.reports.markdown.result import result_markdown
from floe.reports.text.result import result_text
from floe.tables.locate import TableSelector

_FORMATS = ("text", "json", "junit", "html", "github", "markdown")

EXAMPLES = (
    "floe test silver.sales.orders",
    "floe test silver.sales.orders --table lake/orders --format junit",
    "floe test silver.sales.orders --where \"order_date >= DATE '2026-01-01'\"",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "contracts", nargs="+", metavar="CONTRACT", help="a table_id (silver.sales.orders), a contract id or a path"
    )
    parser.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="TABLE",
        help="catalog name or path of the table; for several datasets DATASET=TABLE, repeated (default: found from the contract)",
    )
    parser.add_argument(
        "--reference",
        type=named,
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="table of a referenced dataset, if floe cannot locate it; repeatable",
    )
    parser.add_argument("--server", help="server of the contract, by name or environment (needed if it has several)")
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="ID",
        help="id of an expectation that may be not evaluated; repeatable",
    )
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error", "critical"),
        default="error",
        help="exit with 1 if an expectation of this severity or worse fails (default: error)",
    )
    parser.add_argument(
        "--where",
        metavar="SQL",
        help="check only rows that match this condition; the result is PARTIAL and expectations on the whole table are not evaluated",
    )
    parser.add_argument(
        "--sample",
        type=_fraction,
        metavar="FRACTION",
        help="check about this fraction of the rows (0.01 is one in a hundred); the result is PARTIAL",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="read all files that metadata does not prove, also files that an earlier run checked",
    )
    parser.add_argument("--format", choices=_FORMATS, default="text", help="output format (default: text)")
    add_spark_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the tables; exit 1 if an expectation failed, 2 if one was not evaluated and none failed."""
    scope = scope_of(options.where, options.sample)
    way = TableSelector(None, options.server, dict(options.reference), scope, options.full)
    with progress() as phase:
        result = verify_tables(options.contracts, way, spark_settings(options), phase, tables=options.table)
    limit, accepted = Severity.of(options.fail_on), frozenset(options.accept)
    print(_answer(result, options.format, accepted, limit))
    return _exit_code(result, limit, accepted)


def _answer(result: VerifyResult, form: str, accepted: frozenset[str], limit: Severity) -> str:
    match form:
        case "json":
            return dumps({**result.to_dict(), "accepted": sorted(accepted)}, indent=2)
        case "junit":
            return result_junit(result.results, accepted, limit)
        case "html":
            return result_html(result.results, accepted)
        case "github":
            return result_github(result.results, accepted, limit)
        case "markdown":
            return result_markdown(result.results, accepted)
    return "\n\n".join(result_text(value, style()) for value in result.results)


def _fraction(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a fraction between 0 and 1")
    return number


def _exit_code(result: VerifyResult, limit: Severity, accepted: frozenset[str]) -> int:
    if any(outcome.severity >= limit for value in result.results for outcome in value.failed):
        return 1
    return 2 if any(outcome.id not in accepted for value in result.results for outcome in value.not_evaluated) else 0
