"""A batch from files, on floe's own session."""

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from floe.data.spark.gate import first_line
from floe.data.spark.session import own_session
from floe.model import TableError
from floe.model.settings import Settings


def parquet(path: str, settings: Settings) -> DataFrame:
    """The rows of a Parquet file or folder."""
    spark = own_session(settings)
    try:
        return spark.read.parquet(path)
    except (PySparkException, Py4JError) as error:
        raise TableError(
            f"The batch {path} cannot be read as Parquet: {first_line(error)}", "Write it again as Parquet, whole"
        ) from None
