"""`floe contracts`."""

import argparse
from collections.abc import Callable
from typing import Any

from floe.actions.contracts import history, search, show
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, say, style
from floe.reports.text.contracts import history_text, list_text, search_text, show_text

_PLACES = ("git", "artifacts", "registry", "catalog")
_TERMS = ("column", "tag", "owner", "classification", "domain", "limit", "after")
Text = Callable[[Any], str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    _search(_verb(verbs, "search", "find registered contracts by their words, fields and people", _run_search))
    argument_parser = _verb(verbs, "show", "show one: schema, promises, owner, versions, who relies on it", _run_show)
    argument_parser.add_argument(
        "name", metavar="ID[:VERSION]", help="an id with or without version, an ODCS id or a table_id"
    )
    argument_parser = _verb(verbs, "history", "say what happened to one: who, when, why", _run_history)
    argument_parser.add_argument("name", metavar="ID", help="an id, an ODCS id or a table_id")
    argument_parser = _verb(verbs, "transfer", "give one to another repository", _run_transfer)
    argument_parser.add_argument("name", metavar="ID", help="an id, an ODCS id or a table_id")
    argument_parser.add_argument(
        "--to", required=True, metavar="REPOSITORY", help="the new owner, e.g. github.com/acme/shop"
    )
    argument_parser.add_argument("--reason", help="why; stands in the history")
    argument_parser = _verb(verbs, "export", "write the whole registry as files", _run_export)
    argument_parser.add_argument("folder", metavar="FOLDER", help="a new or empty folder, or an earlier export")
    argument_parser = _verb(verbs, "import", "put an export back into an empty registry, or the same one", _run_import)
    argument_parser.add_argument("folder", metavar="FOLDER", help="an export")
    argument_parser = _verb(verbs, "list", "list the same contracts from each place, and where they differ", _run_list)
    argument_parser.add_argument(
        "--from",
        dest="places",
        action="append",
        choices=_PLACES,
        help="a place to list: files of the working tree, compiled artifacts, registry, catalog; can be repeated (default: all)",
    )


def _verb(verbs: Any, name: str, purpose: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=purpose, description=f"{purpose.capitalize()}.")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)
    return parser


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="*", help="words that all stand in the contract")
    parser.add_argument("--column", metavar="NAME", help="that has a field of this name or path; * for any characters")
    parser.add_argument("--tag", help="that has this tag, or a field with it")
    parser.add_argument("--owner", help="that belongs to this owner")
    parser.add_argument("--classification", metavar="LABEL", help="that has a field with this label")
    parser.add_argument("--domain", help="of this domain")
    parser.add_argument("--limit", type=_count, default=50, help="how many on a page (default: 50)")
    parser.add_argument("--after", metavar="ID", help="go on after this contract")


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 10000")
    return int(text)


def _answer(options: argparse.Namespace, data: Any, text: Text) -> int:
    if options.format == "json":
        print_json(data)
    else:
        print(text(data))
    return 0


def _run_search(options: argparse.Namespace) -> int:
    terms = {name: getattr(options, name) for name in _TERMS}
    found = search(load_settings(say=say), text=" ".join(options.text), **terms)
    return _answer(options, found, lambda data: search_text(data, style()))


def _run_show(options: argparse.Namespace) -> int:
    return _answer(options, show(options.name, load_settings(say=say)), lambda data: show_text(data, style()))


def _run_history(options: argparse.Namespace) -> int:
    return _answer(options, history(options.name, load_settings(say=say)), lambda data: history_text(data, style()))


def _run_transfer(options: argparse.Namespace) -> int:
    from floe.actions.contracts.transfer import transfer

    moved = transfer(options.name, options.to, load_settings(say=say), reason=options.reason)
    return _answer(options, moved, _moved)


def _moved(value: Any) -> str:
    if not value["moved"]:
        return f"{value['contract']} belongs to {value['to']} already"
    return f"{value['contract']} belongs to {value['to']} now (before: {value['from'] or 'nobody'}); catalogs and people are told"


def _run_export(options: argparse.Namespace) -> int:
    from floe.actions.contracts.exporting import export

    done = export(options.folder, load_settings(say=say))
    return _answer(
        options,
        done,
        lambda value: f"{value['contracts']} contracts in {value['versions']} versions are in {value['folder']}",
    )


def _run_import(options: argparse.Namespace) -> int:
    from floe.actions.contracts.importing import import_registry

    done = import_registry(options.folder, load_settings(say=say))
    return _answer(
        options, done, lambda value: f"{value['added']} rows were imported, {value['known']} were there already"
    )


def _run_list(options: argparse.Namespace) -> int:
    from floe.actions.contracts.listing import list_contracts

    found = list_contracts(options.places or _PLACES, load_settings(say=say))
    return _answer(options, found, lambda data: list_text(data, style()))
