"""What `floe deprecate`, `sunset`, `retire` and `revive` share."""

import argparse
from datetime import date

from floe.actions.lifecycle import Line, Moved
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json
from floe.lang.dates import parse_day
from floe.reports.text.lifecycle import lifecycle_text


def add_line(parser: argparse.ArgumentParser) -> None:
    """The contract, its MAJOR line, and how to answer."""
    parser.add_argument(
        "contract",
        metavar="CONTRACT",
        help="a registered contract: its id (sales.shop/orders), ODCS id, table_id or file",
    )
    parser.add_argument("--major", type=int, metavar="N", help="MAJOR line (needed if the contract has several)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")


def line(options: argparse.Namespace) -> Line:
    """The line that is meant."""
    settings = load_settings()
    return Line(options.contract, options.major, settings, settings.clock())


def day(text: str) -> date:
    """A day of the command line."""
    found = parse_day(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a date; write it as 2026-12-31")
    return found


def tell(moved: Moved, form: str) -> int:
    """Print the state of the line."""
    if form == "json":
        print_json(moved.to_dict())
    else:
        print(lifecycle_text(moved.now, moved.was.state, moved.changed, moved.told))
    return 0
