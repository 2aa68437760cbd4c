"""Check a table, or write a batch through the gate, in the session that spark-submit gives. The result is JSON.

    spark-submit check.py CONTRACT --table TABLE
    spark-submit check.py CONTRACT --batch PARQUET [--table TABLE] [--mode MODE] [--batch-id ID]

Exit codes as of `floe`: 0 success; 1 an expectation failed or the batch was refused; 2 not evaluated, or not possible.
"""

import argparse
import json
import sys
from typing import Any

from pyspark.sql import SparkSession

import floe


def main() -> int:
    """Run with the arguments of the command line."""
    parser = argparse.ArgumentParser(description="Check a table, or write a batch through the gate.")
    parser.add_argument("contract", help="a table_id, a contract id or a path")
    parser.add_argument("--table", help="catalog name or path of the table")
    parser.add_argument("--batch", help="Parquet file or folder to write; without it, the table is checked")
    parser.add_argument("--mode", choices=("append", "merge", "overwrite_partition"), default="append")
    parser.add_argument("--batch-id", help="a batch that the table already has is not written again")
    options = parser.parse_args()
    if not (options.batch or options.table):
        parser.error("--table or --batch is required")
    spark = SparkSession.builder.getOrCreate()
    try:
        return write(spark, options) if options.batch else check(options)
    except floe.ViolationError as error:
        show(error.result)
        return 1
    except floe.FloeError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        spark.stop()


def check(options: argparse.Namespace) -> int:
    """Check a table."""
    result = floe.verify(options.table, options.contract)
    show(result)
    return {"pass": 0, "fail": 1, "not_evaluated": 2}[result.outcome]


def write(spark: SparkSession, options: argparse.Namespace) -> int:
    """Write a batch, or raise ViolationError."""
    batch = spark.read.parquet(options.batch)
    show(floe.enforce(batch, options.contract, options.mode, batch_id=options.batch_id, table=options.table))
    return 0


def show(result: Any) -> None:
    """Print a result."""
    print(json.dumps(result.to_dict(), default=str))


if __name__ == "__main__":
    sys.exit(main())
