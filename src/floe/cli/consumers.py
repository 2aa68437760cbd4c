"""`floe consumers`."""

import argparse

from floe.actions.consumers import ConsumerRequest, add_consumer, list_consumers, remove_consumer
from floe.actions.consumers.signoff import Agreement, sign_off
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, style
from floe.reports.style import clean
from floe.reports.text.consumers import added_text, consumers_text
from floe.reports.text.findings import findings_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    _add(verbs.add_parser("add", help="say that a team relies on a contract; again to change what was said"))
    _list(verbs.add_parser("list", help="who relies on a contract, or on what a team relies"))
    _remove(verbs.add_parser("remove", help="say that a team no longer relies on a contract"))
    _sign_off(verbs.add_parser("sign-off", help="agree to a new MAJOR, or override those who did not"))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "".join(below.format_usage() for below in verbs.choices.values())


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contract", metavar="CONTRACT", help="a registered contract's id, ODCS id, table_id or file")
    parser.add_argument("--team", required=True, help="who relies on it")
    parser.add_argument("--contact", required=True, help="whom to tell of changes, e.g. an address or a channel")
    parser.add_argument(
        "--version",
        metavar="RANGE",
        help="the versions it can live with, of one MAJOR: 1.x, ^1.2.0, 1.2.0 (default: all of the newest MAJOR in use)",
    )
    parser.add_argument(
        "--columns", metavar="A,B.C", help="the columns it uses, nested ones with dots; not said: unknown"
    )
    parser.add_argument("--through", metavar="CONTRACT", help="the contract that the team itself makes of it")
    _format(parser, _run_add)


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contract", metavar="CONTRACT", nargs="?", help="only those of this contract")
    parser.add_argument("--team", help="only what this team relies on")
    _format(parser, _run_list)


def _remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contract", metavar="CONTRACT", help="the contract")
    parser.add_argument("--team", required=True, help="who no longer relies on it")
    parser.add_argument("--through", metavar="CONTRACT", help="only for what it made with this contract")
    _format(parser, _run_remove)


def _sign_off(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contract", metavar="CONTRACT", help="the contract")
    parser.add_argument("version", metavar="VERSION", help="the new MAJOR, e.g. 2.0.0")
    parser.add_argument("--team", help="the consumer that agrees")
    parser.add_argument("--reason", help="why; needed with --override")
    parser.add_argument("--override", action="store_true", help="as the owner, for all who have not agreed")
    parser.add_argument("--file", help="the new version's file, where consumers were not told of it yet")
    parser.add_argument("--diff", metavar="HASH", help="the diff's hash, as the notice or E525 names it")
    _format(parser, _run_sign_off)


def _format(parser: argparse.ArgumentParser, run: object) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)


def _run_add(options: argparse.Namespace) -> int:
    columns = options.columns.split(",") if options.columns is not None else None
    wish = ConsumerRequest(
        contract=options.contract,
        team=options.team,
        contact=options.contact,
        version=options.version,
        columns=columns,
        through=options.through,
    )
    settings = load_settings()
    made = add_consumer(wish, settings, settings.clock())
    if options.format == "json":
        print_json(made.to_dict())
        return 0
    if made.findings:
        print(findings_text(made.findings, style()))
    print(added_text(made.row, made.was))
    return 0


def _run_list(options: argparse.Namespace) -> int:
    found = list_consumers(load_settings(), options.contract, options.team)
    if options.format == "json":
        print_json({"consumers": found})
    else:
        print(consumers_text(found, style()))
    return 0


def _run_remove(options: argparse.Namespace) -> int:
    wish = ConsumerRequest(contract=options.contract, team=options.team, contact="", through=options.through)
    settings = load_settings()
    gone = remove_consumer(wish, settings, settings.clock())
    if options.format == "json":
        print_json({"removed": gone})
    else:
        print(clean(f"✓ {options.team} no longer relies on {gone[0]['contract']}"))
    return 0


def _run_sign_off(options: argparse.Namespace) -> int:
    asked = Agreement(
        contract=options.contract,
        version=options.version,
        team=options.team,
        reason=options.reason,
        override=options.override,
        file=options.file,
        diff=options.diff,
    )
    settings = load_settings()
    made = sign_off(asked, settings, settings.clock())
    if options.format == "json":
        print_json(made.to_dict())
        return 0
    row = made.row
    who = f"{row['by']} overrides the consumers" if options.override else f"{row['team']} agrees"
    print(clean(f"✓ {row['contract_id']}:{row['version']}: {who}{'' if made.new else ' (known already)'}"))
    print(f"    for the diff {row['diff_hash']} alone")
    return 0
