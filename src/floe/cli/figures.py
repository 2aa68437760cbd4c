"""`floe figures`."""

import argparse

from floe.actions.figures import figures
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, style
from floe.reports.html.figures import figures_html
from floe.reports.text.figures import figures_text

EXAMPLES = (
    "floe figures",
    "floe figures --days 90 --format html",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--days", type=_days, default=30, metavar="N", help="number of days, today included (default: 30)"
    )
    parser.add_argument(
        "--format", choices=("text", "json", "html"), default="text", help="output format (default: text)"
    )
    parser.set_defaults(run=run)


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 3660:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of days from 1 to 3660")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print the key figures; the exit code is always 0."""
    found = figures(load_settings(), options.days)
    said = found.to_dict()
    if options.format == "json":
        print_json(said)
    else:
        print(figures_html(said, found.figures) if options.format == "html" else figures_text(said, style()))
    return 0
