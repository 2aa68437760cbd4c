"""`floe publish`."""

import argparse

from floe.actions.load.settings import load_settings, start_of
from floe.actions.publish import PublishOptions, publish_all
from floe.cli.output import print_json, say, style
from floe.cli.progress import progress
from floe.reports.text.publish import publish_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a contract's file, id or table_id, a product's folder, a repository"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, register nothing")
    parser.add_argument(
        "--skip-test", metavar="REASON", help="do not test contracts on their tables; the reason is kept for ever"
    )
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="ID",
        help="an expectation that may stay not evaluated in the test; can be repeated",
    )
    parser.add_argument("--server", help="the contract's server, by name or environment, where it has several")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Register; exit 1 where a contract is refused, 2 where one could not be checked and none is refused."""
    settings = load_settings(start=start_of(options.paths[0]), say=say)
    how = PublishOptions(options.dry_run, options.skip_test, tuple(options.accept), options.server)
    with progress() as phase:
        result = publish_all(options.paths, how, settings, phase)
    if options.format == "json":
        print_json(result.to_dict())
    else:
        told = [(published.to_dict(), published.findings) for published in result.results]
        print(publish_text(told, result.dry_run, style()))
    return result.exit_code
