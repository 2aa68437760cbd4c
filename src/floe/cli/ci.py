"""`floe ci`."""

import argparse
from contextlib import nullcontext

from floe import reports
from floe.actions.ci import CiResult, ci
from floe.actions.load.settings import untrusted
from floe.cli.output import print_json, style
from floe.model import Severity
from floe.reports.style import plural
from floe.reports.text.diff import diffs_text
from floe.reports.text.findings import findings_text
from floe.version import __version__

FORMATS = ("text", "json", "sarif", "github", "markdown")

EXAMPLES = (
    "floe ci --changed-since origin/main",
    "floe ci --untrusted --changed-since origin/main --format markdown",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=".", help="folder with contracts (default: .)")
    parser.add_argument(
        "--changed-since", metavar="REV", required=True, help="git revision to compare with, e.g. origin/main"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format (default: text)")
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error", "critical"),
        default="error",
        help="exit with 1 at findings of this severity or worse (default: error)",
    )
    parser.add_argument(
        "--untrusted",
        action="store_true",
        help="check a branch you do not trust: ignore the settings in its manifest.yaml that connect, read variables or run code "
        "(registry, catalogs, spark, variables, alerts, lineage, traces), read no table and use no cache",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check what changed; exit 1 if a finding reaches --fail-on."""
    with untrusted() if options.untrusted else nullcontext():
        result = ci(options.changed_since, options.path)
    failed = result.reaches(Severity.of(options.fail_on))
    _print(result, options.format, failed)
    return 1 if failed else 0


def _print(result: CiResult, form: str, failed: bool) -> None:
    match form:
        case "json":
            print_json(result.to_dict())
        case "sarif":
            from floe.actions.explain import explanations

            helps = {explanation.code.code: explanation.help for explanation in explanations()}
            print_json(reports.sarif.findings.findings_sarif(result.findings, helps, __version__))
        case "github":
            print(reports.github.findings.findings_github(result.findings) or "floe: no findings")
        case "markdown":
            steps = [(step.name, step.findings) for step in result.steps]
            print(reports.markdown.ci.ci_markdown(result.diff.results, steps, _approved(result), failed))
        case _:
            print(_text(result, failed))


def _text(result: CiResult, failed: bool) -> str:
    painted = style()
    mark = painted.paint("✗", "red") if failed else painted.paint("✓", "green")
    changed = plural(len(result.files), "contract file")
    parts = [f"{mark} {changed} changed since {result.since}: {result.diff.bump}"]
    parts.append(diffs_text(result.diff.results, painted))
    parts += [
        f"{step.name}:\n{text}"
        for step in result.steps
        if step.name != "diff" and (text := findings_text(step.findings, painted))
    ]
    parts += _approved(result)
    return "\n\n".join(part for part in parts if part)


def _approved(result: CiResult) -> list[str]:
    return [f"{one.contract}: approved by {approval.approver} ({approval.reason})" for one, approval in result.approved]
