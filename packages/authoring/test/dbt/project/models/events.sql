{{ config(materialized='incremental') }}
select id, ordered_at from {{ source('web', 'orders') }}
{% if is_incremental() %} where ordered_at > (select max(ordered_at) from {{ this }}) {% endif %}
