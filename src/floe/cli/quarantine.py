"""`floe quarantine`."""

import argparse

from floe.actions.enforce.context import MODES, WriteOptions
from floe.actions.load.settings import load_settings
from floe.actions.quarantine import list_quarantine, replay
from floe.cli.named import named
from floe.cli.output import print_json, say, style
from floe.model import SettingError, ViolationError
from floe.reports.text.quarantine import quarantine_text
from floe.reports.text.result import write_text
from floe.tables.locate import TableSelector

EXAMPLES = (
    "floe quarantine list silver.sales.orders",
    "floe quarantine replay silver.sales.orders",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "verb", choices=("list", "replay"), help="list quarantined rows, or write them through the gate again"
    )
    parser.add_argument(
        "contracts", nargs="+", metavar="CONTRACT", help="a table_id (silver.sales.orders), a contract id or a path"
    )
    parser.add_argument(
        "--run",
        dest="runs",
        action="append",
        default=[],
        metavar="RUN",
        help="replay only the rows of this run; repeatable",
    )
    parser.add_argument("--mode", choices=MODES, default="append", help="write mode of replayed rows (default: append)")
    parser.add_argument("--table", help="catalog name or path of the table (default: found from the contract)")
    parser.add_argument(
        "--reference",
        type=named,
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="table of a referenced dataset, if floe cannot locate it; repeatable",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List or replay; exit 1 where a replay is refused."""
    settings = load_settings(say=say)
    way = TableSelector(options.table, None, dict(options.reference))
    if options.verb == "list":
        found = list_quarantine(options.contracts, way, settings)
        if options.format == "json":
            print_json({"quarantine": [quarantined_rows.to_dict() for quarantined_rows in found]})
        else:
            print(quarantine_text(found, style()))
        return 0
    if len(options.contracts) > 1:
        raise SettingError(
            f"{len(options.contracts)} contracts given, replay takes one",
            "Run floe quarantine replay once per contract",
        )
    try:
        result = replay(options.contracts[0], options.runs, WriteOptions(mode=options.mode, way=way), settings)
    except ViolationError as error:
        result = error.result
    if options.format == "json":
        print_json(result.to_dict())
    else:
        print(write_text("the quarantine", result, style()))
    return 1 if result.refused else 0
