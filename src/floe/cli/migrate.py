"""`floe migrate`."""

import argparse

from floe.actions.load.settings import load_settings
from floe.actions.migrate import migrate
from floe.actions.migrate.repair import repair
from floe.cli.named import named
from floe.cli.output import print_json, say, style
from floe.model import SettingError, ViolationError
from floe.reports.text.migrate import migrate_text
from floe.reports.text.result import write_text
from floe.settings import Settings
from floe.tables.locate import TableSelector

EXAMPLES = (
    "floe migrate new.yaml --from old.yaml",
    "floe migrate new.yaml --from old.yaml --run",
    "floe migrate --repair silver.sales.orders",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "contract", metavar="CONTRACT", help="contract of the new MAJOR version: a table_id, a contract id or a path"
    )
    parser.add_argument(
        "--from", dest="old", metavar="OLD", help="older version: a file or git:REV:path (default: git HEAD)"
    )
    parser.add_argument("--table", help="catalog name or path of the old table (default: found from the contract)")
    parser.add_argument(
        "--fill",
        type=named,
        action="append",
        default=[],
        metavar="COLUMN=SQL",
        help="value of a new column in old rows, as SQL; repeatable",
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="rewrite the files of the contract's Iceberg table that have no field ids",
    )
    parser.add_argument("--run", dest="go", action="store_true", help="run the migration (default: only show it)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the way to the next MAJOR, or go it; exit 1 where the new contract refuses the old rows."""
    settings = load_settings(say=say)
    way = TableSelector(table=options.table)
    if options.repair:
        return _repair(options, way, settings)
    try:
        plan = migrate(options.contract, options.old, settings, way=way, fill=dict(options.fill), run=options.go)
    except ViolationError as error:
        print(write_text("the old rows", error.result, style()))
        return 1
    if options.format == "json":
        print_json(plan.to_dict())
    else:
        print(migrate_text(plan, style()))
        if plan.result:
            print(write_text("the old rows", plan.result, style()))
    return 0


def _repair(options: argparse.Namespace, way: TableSelector, settings: Settings) -> int:
    if options.old or options.fill or options.go:
        raise SettingError(
            "--repair cannot be combined with --from, --fill or --run", "Run the repair and the migration separately"
        )
    found = repair(options.contract, settings, way)
    if options.format == "json":
        print_json(found.to_dict())
    elif found.snapshot is None:
        print(f"{found.table}: all files have field ids, nothing was written")
    else:
        print(
            f"{found.table}: {found.lacking:,} of {found.files:,} files had no field ids; "
            f"the files were rewritten with field ids (snapshot {found.snapshot})"
        )
    return 0
