"""`floe deprecate`."""

import argparse

from floe.actions.lifecycle import deprecate
from floe.cli.ending import add_line, day, line, tell
from floe.model.lifecycle import Announcement

EXAMPLES = (
    'floe deprecate sales.shop/orders --sunset 2026-12-31 --replacement sales.shop/orders_new --reason "one schema less"',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_line(parser)
    parser.add_argument(
        "--sunset",
        required=True,
        type=day,
        metavar="DATE",
        help="sunset date (UTC), at least 30 days after the announcement",
    )
    parser.add_argument("--replacement", required=True, metavar="CONTRACT", help="contract that consumers migrate to")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="reason; part of the notification to consumers")
    parser.add_argument("--guide", metavar="URL", help="migration guide; part of the notification to consumers")
    parser.add_argument("--announced", type=day, metavar="DATE", help="day of the announcement (default: today)")
    parser.add_argument(
        "--retire",
        type=day,
        metavar="DATE",
        help="day of automatic retirement, at least 7 days after the sunset (default: none, use `floe retire`)",
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
