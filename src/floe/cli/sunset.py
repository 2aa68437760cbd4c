"""`floe sunset`."""

import argparse

from floe.actions.lifecycle import begin_sunset
from floe.cli.ending import add_line, day, line, tell

EXAMPLES = ("floe sunset sales.shop/orders",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_line(parser)
    parser.add_argument(
        "--retire", type=day, metavar="DATE", help="day of automatic retirement, at least 7 days after the sunset"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """End the notice: no new consumers from now on."""
    return tell(begin_sunset(line(options), options.retire), options.format)
