"""`floe migrate`."""

import argparse

from floe.actions.load.settings import load_settings
from floe.actions.migrate import migrate
from floe.actions.migrate.repair import repair
from floe.cli.named import named
from floe.cli.output import print_json, say, style
from floe.model import SettingError, ViolationError
from floe.reports.text.migrate import migrate_text
from floe.reports.text.write import write_text
from floe.settings import Settings
from floe.tables.locate import TableSelector


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("contract", metavar="CONTRACT", help="the contract of the new MAJOR: a table_id, id or path")
    parser.add_argument(
        "--from", dest="old", metavar="OLD", help="the older version: a file or git:REV:path (default: git's HEAD)"
    )
    parser.add_argument("--table", help="the old table: a catalog name or a path (default: found by the contract)")
    parser.add_argument(
        "--fill",
        type=named,
        action="append",
        default=[],
        metavar="COLUMN=SQL",
        help="what a new column holds for old rows; can be repeated",
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="write the files of the contract's Iceberg table again where they carry no field ids",
    )
    parser.add_argument("--run", dest="go", action="store_true", help="do it (default: only show it)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
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
        raise SettingError("--repair stands alone: it migrates nothing", "Leave --from, --fill and --run out")
    found = repair(options.contract, settings, way)
    if options.format == "json":
        print_json(found.to_dict())
    elif found.snapshot is None:
        print(f"{found.table}: every file carries field ids, nothing was written")
    else:
        print(
            f"{found.table}: {found.lacking:,} of {found.files:,} files carried no field ids; "
            f"the files were written again with them (snapshot {found.snapshot})"
        )
    return 0
