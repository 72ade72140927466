select id, customer, ordered_at, amount, address.city
from {{ source('web', 'orders') }}
where ordered_at >= timestamp '2026-01-01'
