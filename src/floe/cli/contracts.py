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

EXAMPLES = (
    "floe contracts search customer --tag golden",
    "floe contracts show sales.shop/orders:1.0.0",
    "floe contracts export saved",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    _search(_verb(verbs, "search", "search registered contracts", _run_search))
    argument_parser = _verb(
        verbs, "show", "show a contract: schema, expectations, owner, versions, consumers", _run_show
    )
    argument_parser.add_argument(
        "name", metavar="ID[:VERSION]", help="contract id with or without version, ODCS id or table_id"
    )
    argument_parser = _verb(verbs, "history", "show the history of a contract: who, when, why", _run_history)
    argument_parser.add_argument("name", metavar="ID", help="contract id, ODCS id or table_id")
    argument_parser = _verb(verbs, "transfer", "transfer a contract to another repository", _run_transfer)
    argument_parser.add_argument("name", metavar="ID", help="contract id, ODCS id or table_id")
    argument_parser.add_argument(
        "--to", required=True, metavar="REPOSITORY", help="new repository, e.g. github.com/acme/shop"
    )
    argument_parser.add_argument("--reason", help="reason; recorded in the history")
    argument_parser = _verb(verbs, "export", "export the whole registry to files", _run_export)
    argument_parser.add_argument("folder", metavar="FOLDER", help="new or empty folder, or an earlier export")
    argument_parser = _verb(verbs, "import", "import an export into an empty registry or the exported one", _run_import)
    argument_parser.add_argument("folder", metavar="FOLDER", help="folder of the export")
    argument_parser = _verb(verbs, "list", "list contracts of each place and their differences", _run_list)
    argument_parser.add_argument(
        "--from",
        dest="places",
        action="append",
        choices=_PLACES,
        help="place to list: working tree (git), compiled artifacts, registry or catalog; repeatable (default: all)",
    )
    parser.epilog = "".join(below.format_usage() for below in verbs.choices.values())


def _verb(verbs: Any, name: str, purpose: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}."
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)
    return parser


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="*", help="words that the contract contains")
    parser.add_argument(
        "--column", metavar="NAME", help="contracts with a field of this name or path; * matches any characters"
    )
    parser.add_argument("--tag", help="contracts with this tag on the contract, a dataset or a field")
    parser.add_argument("--owner", help="contracts of this owner")
    parser.add_argument("--classification", metavar="LABEL", help="contracts with a field of this classification")
    parser.add_argument("--domain", help="contracts of this domain")
    parser.add_argument("--limit", type=_count, default=50, metavar="N", help="contracts per page (default: 50)")
    parser.add_argument("--after", metavar="ID", help="start after this contract id")


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
        return f"{value['contract']} already belongs to {value['to']}"
    return f"{value['contract']} now belongs to {value['to']} (before: {value['from'] or 'no repository'}); catalogs and people are notified"


def _run_export(options: argparse.Namespace) -> int:
    from floe.actions.contracts.exporting import export

    done = export(options.folder, load_settings(say=say))
    return _answer(
        options,
        done,
        lambda value: f"{value['contracts']} contracts with {value['versions']} versions exported to {value['folder']}",
    )


def _run_import(options: argparse.Namespace) -> int:
    from floe.actions.contracts.importing import import_registry

    done = import_registry(options.folder, load_settings(say=say))
    return _answer(options, done, lambda value: f"{value['added']} rows imported, {value['known']} already present")


def _run_list(options: argparse.Namespace) -> int:
    from floe.actions.contracts.listing import list_contracts

    found = list_contracts(options.places or _PLACES, load_settings(say=say))
    return _answer(options, found, lambda data: list_text(data, style()))
