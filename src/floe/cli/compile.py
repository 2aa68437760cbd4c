"""`floe compile`."""

import argparse
from pathlib import Path

from floe.actions.compile import compile as compile_products
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, style
from floe.reports.text.compile import compile_text
from floe.settings import LEVELS

EXAMPLES = (
    "floe compile products/",
    "floe compile products/shop --no-store",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder",
        nargs="?",
        default=".",
        metavar="FOLDER",
        help="product folder, or a folder with products (default: .)",
    )
    parser.add_argument("--output", metavar="FILE", help="file to write (default: FOLDER/compiled_artifacts.json)")
    parser.add_argument(
        "--enforcement", choices=LEVELS, help="enforcement level (default: manifest.yaml, else alert_only)"
    )
    parser.add_argument("--no-store", action="store_true", help="check only; do not write the artifacts")
    parser.add_argument(
        "--no-cache", action="store_true", help="compile everything again; do not read or write .floe/cache"
    )
    parser.add_argument("--processes", type=int, metavar="N", help="number of processes (default: number of cores)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Resolve, check and store; exit 1 if it fails at the level of enforcement."""
    given = {"data_contracts.enforcement": options.enforcement} if options.enforcement else {}
    result = compile_products(
        options.folder,
        settings=load_settings(given, start=Path(options.folder)),
        output=options.output,
        store=not options.no_store,
        cache=not options.no_cache,
        processes=options.processes,
    )
    if options.format == "json":
        print_json(result.to_dict())
    else:
        print(compile_text(result.steps, result.findings, result.failed, style()))
    return 1 if result.failed else 0
