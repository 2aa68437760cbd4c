"""The command `floe` as a Databricks wheel task, in the session of the cluster.

Databricks calls an entry point as a function and ignores what it returns, so that a refused batch would be a green task.
"""

import sys

from pyspark.sql import SparkSession

from floe.cli import main


def run() -> None:
    """Run `floe` with the parameters of the task; an exit code other than 0 fails it."""
    SparkSession.builder.getOrCreate()
    code = main(sys.argv[1:])
    if code:
        raise RuntimeError(f"floe ended with exit code {code}")
