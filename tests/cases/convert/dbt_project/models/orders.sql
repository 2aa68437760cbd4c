select
  cast(1 as bigint) as order_id,
  cast(1 as bigint) as line,
  customer_id,
  cast('open' as varchar) as status,
  cast(9.99 as decimal(12, 2)) as amount,
  loaded_at
from {{ source('raw', 'orders') }}, {{ ref('customers') }}
