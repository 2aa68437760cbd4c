"""cuallee from a cold start: the same rules on the same files; prints passed, asked and rows; for `provable.py`."""

import os
import sys

from cuallee import Check, CheckLevel
from pyspark.sql import SparkSession

folder, names = sys.argv[1], sys.argv[2].split(",")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
rows = spark.read.parquet(folder)
check = Check(CheckLevel.WARNING, "sales")
for name in names:
    check.is_complete(name)
check.is_between("quantity", (1, 50)).is_greater_or_equal_than("price", 0).is_less_or_equal_than("discount", 10)
said = check.validate(rows).collect()
print(sum(row["status"] == "PASS" for row in said), len(said), said[0]["rows"])
spark.stop()
