"""`floe lint`."""

import argparse
import gc
import sys
import time

from floe import reports
from floe.actions.lint import LintResult, lint, write_baseline
from floe.cli.output import print_json, say, style
from floe.model import Severity
from floe.reports.style import Style, clean, plural
from floe.reports.text.findings import findings_text, summary_text
from floe.version import __version__

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown")
_PATIENCE = 2.0

EXAMPLES = (
    "floe lint contracts/",
    "floe lint contracts/ --format sarif",
    "floe lint contracts/ --baseline known.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="contract file or folder of contracts")
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format (default: text)")
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error", "critical"),
        default="error",
        help="exit with 1 at findings of this severity or worse (default: error)",
    )
    parser.add_argument("--baseline", metavar="FILE", help="ignore the findings listed in this file")
    parser.add_argument("--write-baseline", metavar="FILE", help="write all findings to this file, for --baseline")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Lint the paths; exit 1 where something reaches --fail-on."""
    gc.disable()  # nothing here makes cycles; scanning for them costs a third of the time over 1,000 contracts
    writing = bool(options.write_baseline)
    result = lint(options.paths, known=options.baseline, every=writing, progress=_Progress())
    limit = Severity.of(options.fail_on)
    if writing:
        write_baseline(result, options.write_baseline)
        say(f"{plural(len(result.findings), 'finding')} written to the baseline {options.write_baseline}")
        return 0
    _print(result, options.format, limit)
    return 1 if result.reaches(limit) else 0


def _print(result: LintResult, form: str, limit: Severity) -> None:
    match form:
        case "json":
            print_json(result.to_dict())
        case "sarif":
            from floe.actions.explain import explanations

            helps = {explanation.code.code: explanation.help for explanation in explanations()}
            print_json(reports.sarif.findings.findings_sarif(result.findings, helps, __version__))
        case "junit":
            print(
                reports.junit.findings.findings_junit(
                    result.findings, [contract.source for contract in result.contracts], limit
                )
            )
        case "github":
            _print_some(reports.github.findings.findings_github(result.findings))
            print(_summary(result, Style(colour=False)))
        case "markdown":
            print(reports.markdown.findings.findings_markdown(result.findings, _summary(result, Style(colour=False))))
        case _:
            _print_some(findings_text(result.findings, style()))
            print(_summary(result, style()))


def _print_some(text: str) -> None:
    if text:
        print(text)


def _summary(result: LintResult, painted: Style) -> str:
    return summary_text(result.findings, result.files, painted, result.skipped)


class _Progress:
    """A sign of life for a person who has waited long, and none for a program."""

    def __init__(self) -> None:
        self.seen = sys.stderr.isatty()
        self.last = time.monotonic()

    def __call__(self, number: int, name: str) -> None:
        """Print the progress, at most every two seconds."""
        if self.seen and time.monotonic() - self.last > _PATIENCE:
            self.last = time.monotonic()
            say(f"… file {number:,}: {clean(name)}")
