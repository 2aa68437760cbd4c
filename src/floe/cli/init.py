"""`floe init`."""

import argparse
import re
import sys
from pathlib import Path

from floe.actions.init import Start, init, is_word, offers
from floe.actions.load.settings import load_settings
from floe.cli.output import say
from floe.model import LAYERS, FloeError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="where to start (default: here)")
    parser.add_argument("--domain", default="default", help="the domain, e.g. commerce")
    parser.add_argument("--product", help="the product (default: the folder's name)")
    parser.add_argument("--table", default="dataset", help="the first table (default: dataset)")
    parser.add_argument("--layer", choices=LAYERS, default="silver", help="its layer (default: silver)")
    parser.add_argument(
        "--table-format", choices=("delta", "iceberg"), default="delta", help="its format (default: delta)"
    )
    parser.add_argument(
        "--from",
        dest="origin",
        metavar="SOURCE",
        help="start from a table (as floe bootstrap takes it), a dbt manifest, SQL DDL, Avro, JSON Schema or another contract",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the folder, and say what to do next."""
    folder = Path(options.folder)
    if folder.exists() and not folder.is_dir():
        raise FloeError(f"{folder} is a file", "Name a folder to start in")
    product = options.product or re.sub(r"[\s.-]+", "_", folder.resolve().name.lower())
    if not options.product and not is_word(product):
        raise FloeError(
            f"The folder's name '{folder.resolve().name}' makes no plain word for the product", "Add --product NAME"
        )
    start = Start(
        folder, product, options.domain, options.table, options.layer, options.table_format, load_settings().actor
    )
    origin = options.origin or _asked(folder)
    for path in init(start, origin):
        print(f"✓ {path}")
    contracts = folder / "contracts"
    print(f"\nNext: edit the contract, then run  floe lint {contracts}")
    return 0


def _asked(folder: Path) -> str | None:
    """Offer to start from what the folder holds; without a terminal the offer is a line to repeat."""
    for what, path in offers(folder) if folder.is_dir() else ():
        if not sys.stdin.isatty():
            say(f"· {what} is here: floe init --from {path} starts from it")
        elif input(f"{path} is {what}. Start from it? [y/N] ").strip().lower() in ("y", "yes"):
            return str(folder / path)
    return None
