"""The options of commands that may start Spark: `--master`, `--conf` and `--properties-file`, as spark-submit has them."""

import argparse
from pathlib import Path

from floe.actions.load.settings import load_settings, with_spark
from floe.cli.named import named
from floe.cli.output import say
from floe.settings import Settings


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    group = parser.add_argument_group("Spark")
    group.add_argument("--master", metavar="URL", help="local[N], spark://HOST:PORT, yarn, k8s://… or sc://HOST:PORT")
    group.add_argument(
        "--conf", type=named, action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark; repeatable"
    )
    group.add_argument(
        "--properties-file", type=Path, metavar="FILE", help="settings of Spark, as in spark-defaults.conf"
    )


def spark_settings(options: argparse.Namespace) -> Settings:
    """The settings, with what the options add: they win over the file, and the file over manifest.yaml."""
    return with_spark(load_settings(say=say), options.master, dict(options.conf), options.properties_file)
