select day, sum(amount) * 0.2 as margin from {{ ref('orders') }} group by day
