"""Small Delta, Iceberg and Parquet tables."""

import datetime
from pathlib import Path
from typing import Literal

import pyarrow as pa
from deltalake import write_deltalake

HEAD = """apiVersion: v3.1.0
kind: DataContract
id: urn:x
name: prices
version: 1.0.0
status: active
domain: shop
dataProduct: p
schema:
  - name: prices
    properties:
      - {name: id, physicalType: bigint, required: true}
      - {name: price, physicalType: "decimal(9,2)", logicalType: number, logicalTypeOptions: {minimum: 0, maximum: 100}}
      - {name: day, physicalType: date, logicalType: date, logicalTypeOptions: {minimum: "2026-01-01"}}
    quality:
      - {metric: rowCount, mustBeGreaterThan: 1}
"""
SCHEMA = pa.schema([("id", pa.int64()), ("price", pa.decimal128(9, 2)), ("day", pa.date32())])
DAY = datetime.date(2026, 5, 1)


def table(folder: Path, *rows: tuple, mode: Literal["error", "append"] = "error") -> None:
    columns = zip(*rows, strict=True)
    data = pa.table(
        [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )
    write_deltalake(str(folder), data, mode=mode)
