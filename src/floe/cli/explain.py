"""`floe explain`."""

import argparse
import dataclasses

from floe.actions.explain import ENFORCEMENT, Explanation, explain, explanations
from floe.cli.output import print_json, style
from floe.model.decision import LEVELS, MATRIX
from floe.tell.report.codes_markdown import codes_markdown, enforcement_markdown, explained_markdown
from floe.tell.report.explain_text import codes_text, enforcement_text, explain_text, paragraphs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "what",
        metavar="CODE",
        help=f"a code (E511), a name (bounds-contradict), '{ENFORCEMENT}' (who blocks what), or 'all'",
    )
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="how to answer (default: text)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what is known."""
    if options.what.strip().lower() == ENFORCEMENT:
        _enforcement(options.format)
    elif options.what.strip().lower() == "all":
        _all(options.format)
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


def _all(form: str) -> None:
    match form:
        case "json":
            print_json({"codes": [_shape(each) for each in explanations()]})
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
