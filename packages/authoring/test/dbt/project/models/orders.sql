{{ config(materialized='table') }}
select id, customer, date(ordered_at) as day, amount, city
from {{ ref('recent_orders') }}
