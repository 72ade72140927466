{% snapshot amounts %}
{{ config(target_schema='snapshots', unique_key='id', strategy='check', check_cols=['amount']) }}
select id, amount from {{ source('web', 'orders') }}
{% endsnapshot %}
