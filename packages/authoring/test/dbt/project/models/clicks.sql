select url from {{ source('web', 'clicks') }}
