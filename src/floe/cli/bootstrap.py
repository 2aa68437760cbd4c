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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="a Delta, Iceberg or Parquet path, a catalog name (catalog.namespace.table), a whole namespace, a folder of tables, or a SQL DDL",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="a file, or a folder for several (default: print)")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    parser.add_argument(
        "--complete",
        metavar="CONTRACT",
        help="write the physical types that this contract's file leaves open, from its table or SOURCE",
    )
    parser.add_argument(
        "--accept-observed",
        action="store_true",
        help="promise what all rows show (keys, nulls, values, bounds) instead of proposing it in comments",
    )
    parser.add_argument(
        "--rows", type=int, default=ROWS, metavar="N", help=f"how many rows to look at, 0 for none (default: {ROWS})"
    )
    parser.add_argument("--name", help="what the contract is called (default: as its table)")
    parser.add_argument("--domain", help="its domain, e.g. commerce")
    parser.add_argument("--product", help="its product")
    parser.add_argument("--dialect", choices=DIALECTS, metavar="SQL", help=f"how to read SQL: {', '.join(DIALECTS)}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the contracts, or the types that one leaves open."""
    settings = load_settings(say=say)
    if options.complete:
        return _complete(options, settings)
    if not options.source:
        raise FloeError("There is no source to begin with", "Name a table, a namespace, Parquet files or a SQL DDL")
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
        raise FloeError("--complete writes into the contract's own file", "Leave out -o")
    done = complete(options.complete, options.source, settings)
    for path, type_ in done.filled:
        print(f"{style().paint('✓', 'green')} {clean(path)}: {type_}")
    for path, why in done.left:
        print(f"{style().paint('!', 'yellow')} {clean(path)} stays open: {clean(why)}")
    if not done.filled:
        print(f"Nothing is written into {clean(str(done.path))}")
    return 0
