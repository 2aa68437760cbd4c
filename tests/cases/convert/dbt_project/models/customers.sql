select cast(1 as bigint) as customer_id, cast('a@b.example' as varchar) as email
