"""`floe quarantine`."""

import argparse

from floe.actions.enforce.context import MODES, WriteOptions
from floe.actions.load.settings import load_settings
from floe.actions.quarantine import list_quarantine, replay
from floe.cli.named import named
from floe.cli.output import print_json, say, style
from floe.model import SettingError, ViolationError
from floe.reports.text.quarantine import quarantine_text
from floe.reports.text.write import write_text
from floe.tables.locate import TableSelector


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "verb", choices=("list", "replay"), help="list what was set apart, or bring it to the gate again"
    )
    parser.add_argument("contracts", nargs="+", metavar="CONTRACT", help="a table_id, a contract's id or path")
    parser.add_argument(
        "--run",
        dest="runs",
        action="append",
        default=[],
        metavar="RUN",
        help="replay only what this run set apart; can be repeated",
    )
    parser.add_argument("--mode", choices=MODES, default="append", help="how to write the replayed (default: append)")
    parser.add_argument("--table", help="the table: a catalog name or a path (default: found by the contract)")
    parser.add_argument(
        "--reference",
        type=named,
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="the table of a dataset that keys refer to, where it is not found; can be repeated",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
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
        raise SettingError("One contract is replayed at a time", "Name one")
    try:
        result = replay(options.contracts[0], options.runs, WriteOptions(mode=options.mode, way=way), settings)
    except ViolationError as error:
        result = error.result
    if options.format == "json":
        print_json(result.to_dict())
    else:
        print(write_text("the quarantine", result, style()))
    return 1 if result.refused else 0
