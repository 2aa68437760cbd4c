"""`floe explain`."""

import argparse
import dataclasses

from floe.actions.explain import ALL_CHANGES, ENFORCEMENT, Explanation, explain, explanations, kind_named
from floe.cli.output import print_json, style
from floe.contract.compat import CHANGES
from floe.contract.compat.kind import ChangeKind
from floe.model.result import LEVELS, MATRIX
from floe.reports.markdown.changes import change_markdown, change_text, changes_markdown, changes_text
from floe.reports.markdown.codes import codes_markdown, enforcement_markdown, explained_markdown
from floe.reports.text.explain import codes_text, enforcement_text, explain_text, paragraphs

EXAMPLES = (
    "floe explain E511",
    "floe explain bounds-contradict",
    "floe explain enforcement",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what",
        metavar="CODE",
        help=f"code (E511), lint rule (bounds-contradict), kind of change (field-removed), '{ENFORCEMENT}' (what each level "
        f"blocks), '{ALL_CHANGES}', or 'all'",
    )
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="output format (default: text)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what is known."""
    word = options.what.strip().lower()
    if word == ENFORCEMENT:
        _enforcement(options.format)
    elif word == ALL_CHANGES:
        _changes(options.format)
    elif word == "all":
        _all(options.format)
    elif kind := kind_named(word):
        _change(kind, options.format)
    else:
        _one(explain(options.what), options.format)
    return 0


def _enforcement(form: str) -> None:
    match form:
        case "json":
            print_json({"levels": LEVELS, "gate": MATRIX})
        case "markdown":
            print(enforcement_markdown())
        case _:
            print(enforcement_text(style()))


def _changes(form: str) -> None:
    match form:
        case "json":
            print_json({"changes": [_kind_shape(kind) for kind in CHANGES]})
        case "markdown":
            print(changes_markdown(CHANGES), end="")
        case _:
            print(changes_text(CHANGES, style()))


def _change(kind: ChangeKind, form: str) -> None:
    match form:
        case "json":
            print_json(_kind_shape(kind))
        case "markdown":
            print(change_markdown(kind))
        case _:
            print(change_text(kind, style()))


def _kind_shape(kind: ChangeKind) -> dict[str, object]:
    return {
        "change": kind.name,
        "row": kind.row,
        "bump": str(kind.bump),
        "reader": str(kind.reader),
        "writer": str(kind.writer),
        "text": paragraphs(kind.doc),
    }


def _all(form: str) -> None:
    match form:
        case "json":
            print_json({"codes": [_shape(explanation) for explanation in explanations()]})
        case "markdown":
            print(codes_markdown(explanations()), end="")
        case _:
            print(codes_text(explanations(), style()))


def _one(explained: Explanation, form: str) -> None:
    match form:
        case "json":
            print_json(_shape(explained))
        case "markdown":
            print(explained_markdown(explained))
        case _:
            print(explain_text(explained, style()))


def _shape(explained: Explanation) -> dict[str, object]:
    code = dataclasses.asdict(explained.code) | {
        "code": f"FLOE-{explained.code.code}",
        "severity": str(explained.code.severity),
    }
    reading = [{"name": name, "severity": None, "text": [meaning]} for name, meaning in explained.reading]
    rules = [
        {"name": rule.name, "severity": str(rule.severity), "text": paragraphs(rule.doc)} for rule in explained.rules
    ]
    return {**code, "names": [*reading, *rules]}
