"""`floe runs`."""

import argparse

from floe.actions.load.settings import load_settings
from floe.actions.runs import runs
from floe.cli.output import print_json, style
from floe.reports.text.runs import runs_text

EXAMPLES = (
    "floe runs",
    "floe runs silver.sales.orders --limit 5",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("table", nargs="?", metavar="TABLE_ID", help="list only runs of this table")
    parser.add_argument("--limit", type=_count, default=20, metavar="N", help="number of runs (default: 20)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print the newest runs."""
    found = runs(load_settings(), options.limit, options.table)
    if options.format == "json":
        print_json({"runs": found})
    else:
        print(runs_text(found, style(), options.table))
    return 0
