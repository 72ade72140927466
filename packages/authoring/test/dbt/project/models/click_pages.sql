select distinct url from {{ ref('clicks') }}
