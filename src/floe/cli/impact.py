"""`floe impact`."""

import argparse

from floe import reports
from floe.actions.impact import impact
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, style

FORMATS = ("text", "json", "markdown")

EXAMPLES = (
    "floe impact sales.shop/orders new.yaml",
    "floe impact main..HEAD contracts/",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "old",
        metavar="OLD",
        help="old version: a registered contract, a file, a folder, git:REV:path, or two revisions REV..REV",
    )
    parser.add_argument(
        "new", metavar="NEW", nargs="?", help="new version; with REV..REV the path to compare (default: .)"
    )
    parser.add_argument(
        "--dbt", action="append", default=[], metavar="FILE", help="dbt manifest.json, for its exposures; repeatable"
    )
    parser.add_argument(
        "--artifacts",
        action="append",
        default=[],
        metavar="FILE",
        help="compiled_artifacts.json of another repository, for its input ports; repeatable",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the consumers that a change affects."""
    result = impact(options.old, options.new, load_settings(), options.dbt, options.artifacts)
    match options.format:
        case "json":
            print_json(result.to_dict())
        case "markdown":
            print(reports.markdown.impact.impacts_markdown(result.results))
        case _:
            print(reports.text.impact.impacts_text(result.results, style()))
    return 0
