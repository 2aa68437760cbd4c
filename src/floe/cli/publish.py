"""`floe publish`."""

import argparse

from floe.actions.load.settings import load_settings, start_of
from floe.actions.publish import PublishOptions, publish_all
from floe.cli.output import print_json, say, style
from floe.cli.progress import progress
from floe.reports.text.publish import publish_text

EXAMPLES = (
    "floe publish contracts/ --dry-run",
    "floe publish contracts/silver/sales/orders.yaml",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="contract file, id or table_id, product folder, or repository"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would happen; register nothing")
    parser.add_argument(
        "--skip-test", metavar="REASON", help="do not test contracts on their tables; the reason is recorded"
    )
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="ID",
        help="expectation that may be not evaluated in the test; repeatable",
    )
    parser.add_argument("--server", help="server of the contract, by name or environment (needed if it has several)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
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
