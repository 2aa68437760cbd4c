"""`floe consumers`."""

import argparse
from typing import Any

from floe.actions.consumers import ConsumerRequest, add_consumer, list_consumers, remove_consumer
from floe.actions.consumers.signoff import Agreement, sign_off
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, style
from floe.reports.style import clean
from floe.reports.text.consumers import added_text, consumers_text
from floe.reports.text.findings import findings_text

EXAMPLES = (
    "floe consumers add sales.shop/orders --team bi --contact bi@acme.com --columns order_id",
    "floe consumers list sales.shop/orders",
    "floe consumers sign-off sales.shop/orders 2.0.0 --team bi",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    _add(_verb(verbs, "add", "register a team as a consumer of a contract, or change its registration"))
    _list(_verb(verbs, "list", "list the consumers of a contract, or the contracts of a team"))
    _remove(_verb(verbs, "remove", "remove a team from the consumers of a contract"))
    _sign_off(_verb(verbs, "sign-off", "sign off a new MAJOR version, or override missing sign-offs"))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "".join(below.format_usage() for below in verbs.choices.values())


def _verb(verbs: Any, name: str, purpose: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}."
    )
    return parser


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "contract",
        metavar="CONTRACT",
        help="a registered contract: its id (sales.shop/orders), ODCS id, table_id or file",
    )
    parser.add_argument("--team", required=True, help="name of the team")
    parser.add_argument("--contact", required=True, help="address or channel for notifications of changes")
    parser.add_argument(
        "--version",
        metavar="RANGE",
        help="versions the team can use, of one MAJOR: 1.x, ^1.2.0, 1.2.0 (default: the newest MAJOR in use)",
    )
    parser.add_argument(
        "--columns", metavar="A,B.C", help="columns the team uses, nested columns with dots (default: unknown)"
    )
    parser.add_argument("--through", metavar="CONTRACT", help="contract that the team produces from this contract")
    _format(parser, _run_add)


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("contract", metavar="CONTRACT", nargs="?", help="list only consumers of this contract")
    parser.add_argument("--team", help="list only this team")
    _format(parser, _run_list)


def _remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "contract",
        metavar="CONTRACT",
        help="a registered contract: its id (sales.shop/orders), ODCS id, table_id or file",
    )
    parser.add_argument("--team", required=True, help="name of the team")
    parser.add_argument("--through", metavar="CONTRACT", help="remove only the registration for this produced contract")
    _format(parser, _run_remove)


def _sign_off(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "contract",
        metavar="CONTRACT",
        help="a registered contract: its id (sales.shop/orders), ODCS id, table_id or file",
    )
    parser.add_argument("version", metavar="VERSION", help="new MAJOR version, e.g. 2.0.0")
    parser.add_argument("--team", help="consumer that signs off")
    parser.add_argument("--reason", help="reason; required with --override")
    parser.add_argument("--override", action="store_true", help="sign off as the owner for all teams that have not")
    parser.add_argument("--file", help="file of the new version (needed before consumers are notified)")
    parser.add_argument("--diff", metavar="HASH", help="hash of the diff, from the notification or from E525")
    _format(parser, _run_sign_off)


def _format(parser: argparse.ArgumentParser, run: object) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
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
        print(clean(f"✓ {options.team} is no longer a consumer of {gone[0]['contract']}"))
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
    who = f"{row['by']} overrides the consumers" if options.override else f"{row['team']} signed off"
    print(clean(f"✓ {row['contract_id']}:{row['version']}: {who}{'' if made.new else ' (already recorded)'}"))
    print(f"    for diff {row['diff_hash']} only")
    return 0
