"""`floe enforce`."""

import argparse
import sys
from typing import TYPE_CHECKING

from floe.actions.enforce import enforce_file
from floe.actions.enforce.context import MODES, WriteOptions
from floe.actions.load.settings import load_settings
from floe.cli.named import named
from floe.cli.output import print_json, say, style
from floe.model import LAYERS, SettingError, ViolationError
from floe.reports.text.write import write_text
from floe.tables.locate import TableSelector

if TYPE_CHECKING:
    from floe.model.result import WriteResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "batches", nargs="+", metavar="BATCH", help="a Parquet file, or a folder of Parquet files; each is one batch"
    )
    parser.add_argument(
        "contract", metavar="CONTRACT", help="a table_id such as silver.commerce.orders_clean, a contract's id or path"
    )
    parser.add_argument("--mode", choices=MODES, default="append", help="how to write (default: append)")
    parser.add_argument("--table", help="the table: a catalog name or a path (default: found by the contract)")
    parser.add_argument(
        "--server", help="the contract's server to write to, by name or environment, where it has several"
    )
    parser.add_argument(
        "--reference",
        type=named,
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="the table of a dataset that keys refer to, where it is not found; can be repeated",
    )
    parser.add_argument(
        "--input",
        type=named,
        action="append",
        default=[],
        metavar="CONTRACT=FILE",
        help="the Parquet file or folder that the batch was made of, to be held to its contract too; can be repeated",
    )
    parser.add_argument("--layer", choices=LAYERS, help="the layer, where the contract does not say")
    parser.add_argument("--batch-id", help="a name of the batch; repeating an accepted one writes nothing")
    parser.add_argument("--shadow", action="store_true", help="write whatever is found, and say what would be refused")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Hold each batch to the contract; exit 1 where one is refused."""
    settings = load_settings(say=say)
    if options.batch_id and len(options.batches) > 1:
        raise SettingError("--batch-id names one batch, and several were given", "Enforce them one by one")
    ask = WriteOptions(
        mode=options.mode,
        way=TableSelector(options.table, options.server, dict(options.reference)),
        layer=options.layer,
        batch_id=options.batch_id,
        shadow=options.shadow,
    )
    results: list[WriteResult] = []
    for batch in options.batches:
        try:
            result = enforce_file(batch, options.contract, ask, settings, dict(options.input))
        except ViolationError as error:
            result = error.result
        results.append(result)
        if options.format == "text":
            print(write_text(batch, result, style()))
            sys.stdout.flush()
    if options.format == "json":
        print_json(results[0].to_dict() if len(results) == 1 else {"results": [result.to_dict() for result in results]})
    return 1 if any(result.refused for result in results) else 0
