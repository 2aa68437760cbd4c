"""`floe revive`."""

import argparse

from floe.actions.lifecycle import revive
from floe.cli.ending import add_line, line, tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_line(parser)
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; consumers are told")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Take the end back."""
    return tell(revive(line(options), options.reason), options.format)
