"""`floe convert`."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from floe.actions.convert import Converted, convert, convert_each, save
from floe.cli.output import style
from floe.contract.formats.foreign.sql_ddl import DIALECTS
from floe.contract.formats.foreign.targets import NAMES
from floe.model import ContractError
from floe.reports.style import clean, plural
from floe.reports.text.findings import findings_text

_NOT_HAD = ("contract-not-found", "file-unreadable")

EXAMPLES = (
    "floe convert orders.avsc --to odcs -o orders.yaml",
    "floe convert orders.yaml --to dbt",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "source",
        metavar="SRC",
        help="contract (ODCS, dialect A, B or C, Data Contract Specification), dbt manifest.json, Spark schema JSON, Avro, "
        "JSON Schema or SQL DDL file",
    )
    parser.add_argument(
        "--to",
        choices=NAMES,
        default="odcs",
        metavar="FORMAT",
        help=f"target format: {', '.join(NAMES)} (default: odcs)",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="file or existing folder to write to (default: standard output)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite OUT if it exists")
    parser.add_argument("--dataset", metavar="NAME", help="dataset to convert, for formats that hold one dataset")
    parser.add_argument("--model", metavar="NAME", help="model of the dbt manifest to convert")
    parser.add_argument(
        "--dialect", choices=DIALECTS, metavar="DIALECT", help=f"SQL dialect of the source: {', '.join(DIALECTS)}"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Convert and write; exit 1 where the source is no usable contract."""
    chosen = {"dataset": options.dataset, "model": options.model, "dialect": options.dialect}
    out = None if options.output in (None, "-") else Path(options.output)
    try:
        if out is None or not os.path.isdir(out):
            results: Sequence[Converted] = [convert(options.source, options.to, **chosen)]
        else:
            results = convert_each(options.source, options.to, **chosen)
    except ContractError as error:
        if not error.findings or error.findings[0].name in _NOT_HAD:
            raise
        print(findings_text(error.findings, style()), file=sys.stderr)
        return 1
    _answer(results, out, options.force)
    return 0


def _answer(results: Sequence[Converted], out: Path | None, force: bool) -> None:
    paths = save(results, out, force) if out else []
    for index, result in enumerate(results):
        if paths:
            print(f"{style().paint('✓', 'green')} {clean(str(paths[index]))}", file=sys.stderr)
        else:
            sys.stdout.buffer.write(result.text.encode())
            sys.stdout.flush()
        if result.lost:
            print(_lost_text(result), file=sys.stderr)


def _lost_text(result: Converted) -> str:
    lines = [f"{style().paint('!', 'yellow')} {plural(len(result.lost), 'thing')} not supported by {result.target}:"]
    return "\n".join([*lines, *(f"    {clean(str(lost))}" for lost in result.lost)])
