"""What a contract can be written as."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from floe.contract.formats.foreign import avro, dbt, json_schema, spark_ddl, spark_json
from floe.contract.formats.foreign.loss import LostParts, losses, type_notes
from floe.contract.formats.foreign.table import table_of
from floe.contract.formats.odcs import write as odcs_write
from floe.contract.formats.pages import html, markdown
from floe.model import Contract, Dataset

Written = tuple[str, tuple[LostParts, ...]]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format to write; `each` where a text holds one dataset, `whole` where it always holds all of them."""

    name: str
    suffix: str
    write: Callable[[Contract, Sequence[Dataset]], Written]
    value: bool = False
    whole: bool = False


def _odcs(contract: Contract, _: Sequence[Dataset]) -> Written:
    return odcs_write.write(contract, "v3.1.0"), ()


def _odcs_next(contract: Contract, _: Sequence[Dataset]) -> Written:
    return odcs_write.write(contract, "v3.2.0"), ()


def _spark_ddl(contract: Contract, datasets: Sequence[Dataset]) -> Written:
    tables = [(table_of(dataset), [part.column for part in dataset.partition]) for dataset in datasets]
    lost = losses(contract, datasets, spark_ddl.HOLDS)
    return spark_ddl.write(tables), (*type_notes(datasets), *spark_ddl.notes(tables), *lost)


def _spark_json(contract: Contract, datasets: Sequence[Dataset]) -> Written:
    text = spark_json.write(table_of(datasets[0]))
    return text, (*type_notes(datasets), *losses(contract, datasets, spark_json.HOLDS))


def _json_schema(contract: Contract, datasets: Sequence[Dataset]) -> Written:
    text, notes = json_schema.write(table_of(datasets[0]))
    return text, (*type_notes(datasets, closes=False), *notes, *losses(contract, datasets, json_schema.HOLDS))


def _avro(contract: Contract, datasets: Sequence[Dataset]) -> Written:
    text, notes = avro.write(table_of(datasets[0]), contract)
    return text, (*type_notes(datasets), *notes, *losses(contract, datasets, avro.HOLDS))


def _dbt(contract: Contract, datasets: Sequence[Dataset]) -> Written:
    text, notes = dbt.write(contract, datasets)
    return text, (*type_notes(datasets), *notes, *losses(contract, datasets, dbt.HOLDS, nested=False))


def _markdown(contract: Contract, _: Sequence[Dataset]) -> Written:
    return markdown.write(contract), ()


def _html(contract: Contract, _: Sequence[Dataset]) -> Written:
    return html.write(contract), ()


TARGETS = (
    OutputFormat("odcs", ".odcs.yaml", _odcs, whole=True),
    OutputFormat("odcs-3.2", ".odcs.yaml", _odcs_next, whole=True),
    OutputFormat("spark-ddl", ".sql", _spark_ddl),
    OutputFormat("spark-json", ".spark.json", _spark_json, value=True),
    OutputFormat("json-schema", ".schema.json", _json_schema, value=True),
    OutputFormat("avro", ".avsc", _avro, value=True),
    OutputFormat("dbt", ".yml", _dbt),
    OutputFormat("markdown", ".md", _markdown, whole=True),
    OutputFormat("html", ".html", _html, whole=True),
)
NAMES = tuple(target.name for target in TARGETS)
