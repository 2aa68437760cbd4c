"""`floe diff`."""

import argparse

from floe import reports
from floe.actions.diff import DiffResult, Question, diff_all
from floe.cli.output import print_json, style
from floe.contract.compat.changes.history import MODES
from floe.model import Severity
from floe.reports.text.diff import diffs_text
from floe.version import __version__

FORMATS = ("text", "json", "sarif", "github", "markdown")

EXAMPLES = (
    "floe diff old.yaml new.yaml",
    "floe diff main..HEAD contracts/",
    "floe diff table:lake/orders orders.yaml",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "old",
        metavar="OLD",
        help="old version: a file, a folder, an id, registry:ID[:VERSION], git:REV:path, table:PATH_OR_NAME, or two revisions REV..REV",
    )
    parser.add_argument(
        "new", metavar="NEW", nargs="?", help="new version; with REV..REV the path to compare (default: .)"
    )
    parser.add_argument(
        "--transitive",
        action="store_true",
        help="compare with every version of the same MAJOR line: those in folder OLD, or at git tags",
    )
    parser.add_argument(
        "--compatibility",
        choices=MODES,
        metavar="MODE",
        help="exit with 1 if readers (backward), writers (forward) or either (full) break; also with _transitive; or none",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format (default: text)")
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error", "critical"),
        default="error",
        help="exit with 1 at findings of this severity or worse (default: error)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the changes and the version they need; exit 1 if a finding reaches --fail-on."""
    result = diff_all(options.old, options.new, Question(options.transitive, options.compatibility))
    _print(result, options.format)
    return 1 if result.fails(Severity.of(options.fail_on)) else 0


def _print(result: DiffResult, form: str) -> None:
    match form:
        case "json":
            print_json(result.to_dict())
        case "sarif":
            from floe.actions.explain import explanations

            helps = {explanation.code.code: explanation.help for explanation in explanations()}
            print_json(reports.sarif.findings.findings_sarif(result.findings, helps, __version__))
        case "github":
            print(reports.github.diff.diff_github(result.results))
        case "markdown":
            print(reports.markdown.diff.diffs_markdown(result.results))
        case _:
            print(diffs_text(result.results, style()))
