-- Spark SQL

CREATE TABLE sales.orders (
  order_id BIGINT NOT NULL COMMENT 'Number of the order',
  status STRING NOT NULL,
  total DECIMAL(12,2),
  placed_on DATE,
  lines ARRAY<STRUCT<sku: STRING NOT NULL, quantity: INT>>,
  placed_at TIMESTAMP_NTZ
)
PARTITIONED BY (placed_on)
COMMENT 'One row per order.'
TBLPROPERTIES ('floe.never_null' = '["lines[]"]');
