"""`floe doctor`."""

import argparse

from floe.actions.doctor import doctor, resolve, settings_in_force
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, style
from floe.reports.text.doctor import doctor_text, resolution_text
from floe.tables.locate import TableSelector

EXAMPLES = (
    "floe doctor",
    "floe doctor silver.sales.orders",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "contract",
        nargs="?",
        metavar="CONTRACT",
        help="contract whose table is located: a table_id, a contract id or a path",
    )
    parser.add_argument("--table", help="catalog name or path of the table (default: found from the contract)")
    parser.add_argument("--server", help="server of the contract, by name or environment (needed if it has several)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the machine, or one contract's way to its table; exit 2 where something is missing."""
    settings = load_settings()
    if options.contract:
        found = resolve(options.contract, settings, TableSelector(options.table, options.server))
        print_json(found) if options.format == "json" else print(resolution_text(found, style()))
        return 0 if found["reachable"] else 2
    checks = [check.to_dict() for check in doctor(settings)]
    values = settings_in_force(settings)
    if options.format == "json":
        print_json({"root": str(settings.root), "checks": checks, "settings": values})
    else:
        print(doctor_text(str(settings.root), checks, values, style()))
    return 0 if all(check["ok"] for check in checks) else 2
