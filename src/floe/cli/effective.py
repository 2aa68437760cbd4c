"""`floe effective`."""

import argparse

from floe.actions.effective import effective
from floe.cli.output import print_json, style
from floe.reports.text.effective import effective_text

EXAMPLES = ("floe effective contracts/silver/sales/orders.yaml",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("contract", metavar="CONTRACT", help="path or id of a contract, or a product folder")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the values."""
    made = effective(options.contract)
    if options.format == "json":
        print_json(made.to_dict())
    else:
        rows = [(origin.name, origin.value, origin.tier, str(origin.place)) for origin in made.values]
        print(effective_text(made.contract.identity, made.parents, rows, made.findings, style()))
    return 0
