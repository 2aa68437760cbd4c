"""`floe deprecate`."""

import argparse

from floe.actions.lifecycle import deprecate
from floe.cli.ending import add_line, day, line, tell
from floe.model.lifecycle import Announcement


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_line(parser)
    parser.add_argument(
        "--sunset", required=True, type=day, metavar="DATE", help="the day it ends, 30 days from the announcement on"
    )
    parser.add_argument("--replacement", required=True, metavar="CONTRACT", help="what its consumers move to")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; consumers are told")
    parser.add_argument("--guide", metavar="URL", help="how to move; consumers are told")
    parser.add_argument("--announced", type=day, metavar="DATE", help="when it was announced (default: today)")
    parser.add_argument(
        "--retire",
        type=day,
        metavar="DATE",
        help="the day it retires by itself, 7 days from its sunset on (default: `floe retire` does it)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Announce the end."""
    said = Announcement(
        sunset_date=options.sunset,
        replacement=options.replacement,
        reason=options.reason,
        announced=options.announced,
        retire_date=options.retire,
        migration_guide=options.guide,
    )
    return tell(deprecate(line(options), said), options.format)
