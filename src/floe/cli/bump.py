"""`floe bump`."""

import argparse

from floe.actions.bump import BumpResult, bump
from floe.cli.output import print_json, style

EXAMPLES = (
    "floe bump contracts/silver/sales/orders.yaml",
    "floe bump contracts/silver/sales/orders.yaml --since origin/main",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("contract", metavar="CONTRACT", help="path to the contract file")
    parser.add_argument("--against", metavar="OLD", help="version to compare with: a file or git:REV:path")
    parser.add_argument("--since", metavar="REV", help="git revision to compare with (default: HEAD)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the required version, and print the reason."""
    result = bump(options.contract, against=options.against, since=options.since)
    if options.format == "json":
        print_json(result.to_dict())
    else:
        print(_text(result))
    return 0


def _text(result: BumpResult) -> str:
    mark = style().paint("✓", "green")
    if result.changed:
        return f"{mark} {result.file}: {result.old} → {result.new} ({result.why})"
    return f"{mark} {result.file}: version {result.old} kept ({result.why})"
