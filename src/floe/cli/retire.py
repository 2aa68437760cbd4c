"""`floe retire`."""

import argparse

from floe.actions.lifecycle import retire
from floe.cli.ending import add_line, line, tell

EXAMPLES = ("floe retire sales.shop/orders",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_line(parser)
    parser.add_argument("--reason", metavar="TEXT", help="reason (default: reason of the deprecation)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """End it for good."""
    return tell(retire(line(options), options.reason), options.format)
