"""`floe revive`."""

import argparse

from floe.actions.lifecycle import revive
from floe.cli.ending import add_line, line, tell

EXAMPLES = ('floe revive sales.shop/orders --reason "the replacement is late"',)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_line(parser)
    parser.add_argument("--reason", required=True, metavar="TEXT", help="reason; part of the notification to consumers")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Take the end back."""
    return tell(revive(line(options), options.reason), options.format)
