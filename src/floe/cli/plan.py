"""`floe plan`."""

import argparse

from floe.actions.load.settings import load_settings
from floe.actions.plan import plan
from floe.cli.output import print_json, say, style
from floe.reports.text.plan import plan_text

EXAMPLES = ("floe plan silver.sales.orders",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "contract", metavar="CONTRACT", help="a table_id (silver.sales.orders), a contract id or a path"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the plans."""
    plans = plan(options.contract, load_settings(say=say))
    if options.format == "json":
        print_json({"plans": [value.to_dict() for value in plans]})
    else:
        print("\n\n".join(plan_text(value, style()) for value in plans))
    return 0
