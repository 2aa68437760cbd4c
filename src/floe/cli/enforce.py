"""`floe enforce`."""

import argparse
import sys
from typing import TYPE_CHECKING

from floe.actions.enforce import enforce_file
from floe.actions.enforce.context import MODES, WriteOptions
from floe.cli.named import named
from floe.cli.output import print_json, style
from floe.cli.spark_options import add_spark_options, spark_settings
from floe.model import LAYERS, SettingError, ViolationError
from floe.reports.text.result import write_text
from floe.tables.locate import TableSelector

if TYPE_CHECKING:
    from floe.model.result import WriteResult

EXAMPLES = (
    "floe enforce batch.parquet silver.sales.orders",
    "floe enforce batch.parquet silver.sales.orders --mode merge --batch-id 2026-11-15",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "batches",
        nargs="+",
        metavar="BATCH",
        help="Parquet file or folder of Parquet files; each argument is one batch",
    )
    parser.add_argument(
        "contract", metavar="CONTRACT", help="a table_id (silver.commerce.orders_clean), a contract id or a path"
    )
    parser.add_argument("--mode", choices=MODES, default="append", help="write mode (default: append)")
    parser.add_argument("--table", help="catalog name or path of the table (default: found from the contract)")
    parser.add_argument("--server", help="server of the contract, by name or environment (needed if it has several)")
    parser.add_argument(
        "--reference",
        type=named,
        action="append",
        default=[],
        metavar="NAME=TABLE",
        help="table of a referenced dataset, if floe cannot locate it; repeatable",
    )
    parser.add_argument(
        "--input",
        type=named,
        action="append",
        default=[],
        metavar="CONTRACT=FILE",
        help="Parquet input of the batch, checked against its own contract too; repeatable",
    )
    parser.add_argument("--layer", choices=LAYERS, help="layer of the table (default: from the contract)")
    parser.add_argument(
        "--batch-id", metavar="ID", help="id of the batch; a batch that the table already has is not written again"
    )
    parser.add_argument(
        "--shadow", action="store_true", help="write the batch whatever the outcome, and report what would be refused"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    add_spark_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Hold each batch to the contract; exit 1 where one is refused."""
    settings = spark_settings(options)
    if options.batch_id and len(options.batches) > 1:
        raise SettingError(
            f"--batch-id is for one batch, but {len(options.batches)} were given", "Run floe enforce once per batch"
        )
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
