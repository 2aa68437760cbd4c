"""cuallee from a cold start: the same rules on the same table; prints passed, asked and rows; for `provable.py`.

    python cold.py TABLE COLUMN,COLUMN,... FORMAT OPTION=VALUE ...

TABLE is a folder of the format, or the name of a table in an Iceberg catalog; the options are those of the session.
"""

import os
import sys

from cuallee import Check, CheckLevel
from pyspark.sql import SparkSession

table, names, format_, *options = sys.argv[1:]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
for option in options:
    builder = builder.config(*option.split("=", 1))
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
rows = spark.read.table(table) if format_ == "iceberg" else spark.read.format(format_).load(table)
check = Check(CheckLevel.WARNING, "sales")
for name in names.split(","):
    check.is_complete(name)
check.is_between("quantity", (1, 50)).is_greater_or_equal_than("price", 0).is_less_or_equal_than("discount", 10)
said = check.validate(rows).collect()
print(sum(row["status"] == "PASS" for row in said), len(said), said[0]["rows"])
spark.stop()
