"""`floe diff`."""

import argparse

from floe.actions.diff import diff
from floe.cli.output import print_json, style
from floe.tell.report.diff_text import diff_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("old", metavar="OLD", help="the old version: a contract's file or id")
    parser.add_argument("new", metavar="NEW", help="the new version")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Say what changed and which version it needs; exit 1 where the version is too small."""
    result = diff(options.old, options.new)
    if options.format == "json":
        print_json(result.to_dict())
    else:
        print("\n\n".join(diff_text(one, style()) for one in result.results))
    return 0 if result.ok else 1
