"""`floe init`."""

import argparse
import re
import sys
from pathlib import Path

from floe.actions.init import Start, init, is_word, offers
from floe.actions.load.settings import load_settings
from floe.cli.output import say
from floe.model import LAYERS, FloeError

EXAMPLES = (
    "floe init shop --domain sales --table orders",
    "floe init shop --from target/manifest.json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="folder to create the files in (default: .)"
    )
    parser.add_argument("--domain", default="default", help="domain, e.g. commerce (default: default)")
    parser.add_argument("--product", help="data product (default: name of the folder)")
    parser.add_argument("--table", default="dataset", metavar="NAME", help="name of the first table (default: dataset)")
    parser.add_argument("--layer", choices=LAYERS, default="silver", help="layer of the table (default: silver)")
    parser.add_argument(
        "--table-format", choices=("delta", "iceberg"), default="delta", help="format of the table (default: delta)"
    )
    parser.add_argument(
        "--from",
        dest="origin",
        metavar="SOURCE",
        help="source of the first contract: a table (as for floe bootstrap), dbt manifest, SQL DDL, Avro, JSON Schema or contract",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the folder, and print the next step."""
    folder = Path(options.folder)
    if folder.exists() and not folder.is_dir():
        raise FloeError(f"{folder} is a file", "Pass a folder")
    product = options.product or re.sub(r"[\s.-]+", "_", folder.resolve().name.lower())
    if not options.product and not is_word(product):
        raise FloeError(f"The folder name '{folder.resolve().name}' is not a valid product name", "Add --product NAME")
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
            say(f"· {what} found: floe init --from {path} uses it")
        elif input(f"{path} is {what}. Use it? [y/N] ").strip().lower() in ("y", "yes"):
            return str(folder / path)
    return None
