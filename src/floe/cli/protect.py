"""`floe protect`."""

import argparse
from collections.abc import Callable

from floe.actions.load.settings import load_settings
from floe.actions.protect import ProtectResult, protect
from floe.cli.output import print_json, say, style
from floe.reports.text.protect import protect_text
from floe.settings import Settings
from floe.tables.locate import TableSelector

EXAMPLES = ("floe protect silver.sales.orders",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments(parser, protect)


def arguments(parser: argparse.ArgumentParser, act: Callable[[str, TableSelector, Settings], ProtectResult]) -> None:
    """What protect and unprotect take, and which of the two is meant."""
    parser.add_argument(
        "contract", metavar="CONTRACT", help="a table_id (silver.sales.orders), a contract id or a path"
    )
    parser.add_argument("--table", help="catalog name or path of the table (default: found from the contract)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run, act=act)


def run(options: argparse.Namespace) -> int:
    """Print the constraints of the table; exit 1 if its rows already violate a rule."""
    result: ProtectResult = options.act(options.contract, TableSelector(table=options.table), load_settings(say=say))
    if options.format == "json":
        print_json(result.to_dict())
    else:
        print(protect_text(result, style()))
    return 1 if result.broken else 0
