"""`floe sunset`."""

import argparse

from floe.actions.lifecycle import begin_sunset
from floe.cli.ending import add_line, day, line, tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_line(parser)
    parser.add_argument(
        "--retire", type=day, metavar="DATE", help="the day it retires by itself, 7 days from its sunset on"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """End the notice: no new consumers from now on."""
    return tell(begin_sunset(line(options), options.retire), options.format)
