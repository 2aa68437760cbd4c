"""`floe bootstrap`."""

import argparse
import sys
from pathlib import Path

from floe.actions.bootstrap import ROWS, BootstrapOptions, bootstrap_each, only
from floe.actions.bootstrap.complete import complete
from floe.actions.convert import save
from floe.actions.load.settings import load_settings
from floe.cli.output import say, style
from floe.contract.formats.foreign.sql_ddl import DIALECTS
from floe.model import FloeError
from floe.reports.style import clean
from floe.settings import Settings

EXAMPLES = (
    "floe bootstrap lake/orders -o contracts/silver/sales/orders.yaml",
    "floe bootstrap ice.silver_sales -o contracts/",
    "floe bootstrap --complete contracts/silver/sales/orders.yaml",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="path of a Delta, Iceberg or Parquet table, catalog name (catalog.namespace.table), namespace, folder of tables, or SQL DDL file",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="file to write, or folder for several contracts (default: standard output)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    parser.add_argument(
        "--complete",
        metavar="CONTRACT",
        help="add missing physical types to this contract file, taken from its table or from SOURCE",
    )
    parser.add_argument(
        "--accept-observed",
        action="store_true",
        help="write what holds for all rows (keys, nulls, values, bounds) as constraints, not as comments",
    )
    parser.add_argument(
        "--rows", type=int, default=ROWS, metavar="N", help=f"number of rows to read; 0 reads none (default: {ROWS})"
    )
    parser.add_argument("--name", help="name of the contract (default: name of the table)")
    parser.add_argument("--domain", help="domain of the contract, e.g. commerce")
    parser.add_argument("--product", help="data product of the contract")
    parser.add_argument(
        "--dialect", choices=DIALECTS, metavar="DIALECT", help=f"SQL dialect of the source: {', '.join(DIALECTS)}"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the contracts, or the types that one leaves open."""
    settings = load_settings(say=say)
    if options.complete:
        return _complete(options, settings)
    if not options.source:
        raise FloeError("No source given", "Pass a table, a namespace, Parquet files or a SQL DDL file")
    wanted = BootstrapOptions(
        options.name, options.domain, options.product, options.rows, options.accept_observed, options.dialect
    )
    if options.output in (None, "-"):
        sys.stdout.buffer.write(only(bootstrap_each(options.source, wanted, settings)).text.encode())
        sys.stdout.flush()
        return 0
    for path in save(bootstrap_each(options.source, wanted, settings), Path(options.output), options.force):
        say(f"{style().paint('✓', 'green')} {clean(str(path))}")
    return 0


def _complete(options: argparse.Namespace, settings: Settings) -> int:
    if options.output:
        raise FloeError("--complete changes the contract's own file", "Remove -o")
    done = complete(options.complete, options.source, settings)
    for path, type_ in done.filled:
        print(f"{style().paint('✓', 'green')} {clean(path)}: {type_}")
    for path, why in done.left:
        print(f"{style().paint('!', 'yellow')} {clean(path)} has no type: {clean(why)}")
    if not done.filled:
        print(f"{clean(str(done.path))} is unchanged")
    return 0
