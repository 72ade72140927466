/** A query that people write daily, and what a person would write for DuckDB. */
export interface Shape {
  readonly name: string;
  readonly sql: string;
  readonly hand: string;
  /** Why the answers are not equal. */
  readonly differs?: string;
}

/** A table of events, `$rows` of them, and one of their users. */
export const tables = `
CREATE TABLE users AS
SELECT
  i::BIGINT AS user_id,
  ['DE', 'FR', 'US', 'JP'][i % 4 + 1] AS country,
  DATE '2020-01-01' + (i % 1000)::INTEGER AS joined
FROM range(18000) AS r(i);
CREATE TABLE events AS
SELECT
  i::BIGINT AS id,
  (hash(i) % 20000)::BIGINT AS user_id,
  to_timestamp(1700000000 + i * 3 + (hash(i) % 1000) / 1000.0) AS ts,
  (to_timestamp(1700000000 + i * 3) AT TIME ZONE 'UTC')::TIMESTAMP AS dt,
  CAST(CAST(hash(i + 1) % 1000000 AS DECIMAL(38,9)) * 0.01 AS DECIMAL(38,9)) AS amount,
  CAST(CAST(hash(i + 2) % 5000 AS DECIMAL(38,9)) * 0.001 AS DECIMAL(38,9)) AS rate,
  (hash(i + 3) % 100)::BIGINT AS quantity,
  (hash(i + 4) % 10000000) / 997.0 AS x,
  CASE WHEN i % 5 = 0 THEN 'n/a ' || i ELSE (i * 7)::VARCHAR END AS dirty,
  (i * 7)::VARCHAR AS digits,
  ((hash(i + 4) % 10000000) / 1000.0)::VARCHAR AS decimals,
  strftime(make_timestamp(1700000000000000 + i * 3000000), '%Y-%m-%d %H:%M:%S') AS moment,
  strftime(make_timestamp(1700000000000000 + i * 3000000), '%Y-%m-%d') AS day,
  'https://www.example-' || i % 50 || '.co.uk/path/' || i || '?q=' || i % 9 AS url,
  '{"level":"info","user":{"id":' || i || ',"name":"user ' || (i % 100) || '"},"path":"/rest/v1/items","price":' || (i % 1000) / 8.0 || ',"tags":["a","b"]}' AS json,
  ['a' || i % 3, 'b' || i % 5, 'c' || i % 7] AS tags,
  [{'key': 'page', 'value': 'p' || i % 40}, {'key': 'source', 'value': 's' || i % 5}] AS params,
  CAST('{"level":"warn","user":{"id":' || i || ',"name":"user ' || (i % 100) || '"},"price":' || (i % 1000) / 8.0 || '}' AS JSON) AS doc,
  '["a' || i % 3 || '","b' || i % 5 || '"]' AS json_list,
  ' anna maria o' || i % 1000 || ' SMITH ' AS name,
  ['view', 'click', 'cart', 'purchase'][(hash(i + 5) % 4)::BIGINT + 1] AS kind,
  strftime(make_timestamp(1700000000000000 + i * 3000000), '%Y%m%d') AS short_day
FROM range($rows) AS r(i)`;

/** The shapes, those first that were the most expensive ones. */
export const functionShapes: readonly Shape[] = [
  shape('NUMERIC * INT64', 'MAX(amount * 2)', 'max(amount * 2)'),
  shape('NUMERIC * INT64 column', 'SUM(amount * quantity)', 'sum(amount * quantity)'),
  shape('NUMERIC * NUMERIC', 'SUM(amount * rate)', 'sum(CAST(amount * rate AS DECIMAL(38,9)))'),
  shape('NUMERIC + NUMERIC', 'SUM(amount + rate)', 'sum(amount + rate)'),
  shape('NUMERIC / NUMERIC', 'MAX(amount / (rate + 1))', 'max(amount / (rate + 1))'),
  shape('SUM of NUMERIC', 'SUM(amount)', 'sum(amount)'),
  shape('AVG of NUMERIC', 'AVG(amount)', 'avg(amount)'),
  shape('AVG of NUMERIC by group', 'AVG(amount)', 'avg(amount)', 'user_id % 100'),
  shape('ROUND(FLOAT64, 2)', 'SUM(ROUND(x, 2))', 'sum(round(x, 2))'),
  shape('TRUNC(FLOAT64, 2)', 'SUM(TRUNC(x, 2))', 'sum(trunc(x * 100) / 100)'),
  shape('ROUND(NUMERIC, 1)', 'SUM(ROUND(amount, 1))', 'sum(round(amount, 1))'),
  shape('FLOAT64 / FLOAT64', 'SUM(x / id)', 'sum(x / id)', undefined, 'id > 0'),
  shape('SAFE_DIVIDE', 'SUM(SAFE_DIVIDE(x, quantity))', 'sum(x / nullif(quantity, 0))'),
  shape('SAFE_CAST dirty AS INT64', 'SUM(SAFE_CAST(dirty AS INT64))', 'sum(try_cast(dirty AS BIGINT))'),
  shape('SAFE_CAST AS FLOAT64', 'SUM(SAFE_CAST(decimals AS FLOAT64))', 'sum(try_cast(decimals AS DOUBLE))'),
  shape(
    'SAFE_CAST AS NUMERIC',
    'SUM(SAFE_CAST(decimals AS NUMERIC))',
    'sum(try_cast(decimals AS DECIMAL(38,9)))',
  ),
  shape('SAFE_CAST AS DATE', 'MAX(SAFE_CAST(day AS DATE))', 'max(try_cast(day AS DATE))'),
  shape(
    'SAFE_CAST AS TIMESTAMP',
    'MAX(SAFE_CAST(moment AS TIMESTAMP))',
    'max(try_cast(moment AS TIMESTAMPTZ))',
  ),
  shape('CAST STRING AS INT64', 'SUM(CAST(digits AS INT64))', 'sum(CAST(digits AS BIGINT))'),
  shape('CAST STRING AS FLOAT64', 'SUM(CAST(decimals AS FLOAT64))', 'sum(CAST(decimals AS DOUBLE))'),
  shape('CAST FLOAT64 AS STRING', 'MAX(CAST(x AS STRING))', 'max(CAST(x AS VARCHAR))'),
  shape(
    'CAST TIMESTAMP AS STRING',
    'MAX(CAST(ts AS STRING))',
    "max(regexp_replace(strftime(ts, '%Y-%m-%d %H:%M:%S.%f'), '(\\.000)?(000)?$', '') || '+00')",
  ),
  shape('PARSE_DATE', "MAX(PARSE_DATE('%Y-%m-%d', day))", "max(CAST(strptime(day, '%Y-%m-%d') AS DATE))"),
  shape(
    'latest value of each key',
    'ARRAY_AGG(x ORDER BY ts DESC LIMIT 1)[OFFSET(0)]',
    'arg_max(x, ts)',
    'user_id',
  ),
  shape('latest three of each key', 'ARRAY_AGG(x ORDER BY ts DESC LIMIT 3)', 'arg_max(x, ts, 3)', 'user_id'),
  shape(
    'latest STRUCT of each key',
    'ARRAY_AGG(STRUCT(x, id) ORDER BY ts DESC LIMIT 1)[OFFSET(0)].id',
    "arg_max({'x': x, 'id': id}, ts).id",
    'user_id',
  ),
  {
    name: 'latest row of each key',
    sql: 'SELECT COUNT(id) AS v FROM (SELECT * FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts DESC) = 1)',
    hand: 'SELECT count(id) AS v FROM (SELECT * FROM events QUALIFY row_number() OVER (PARTITION BY user_id ORDER BY ts DESC) = 1)',
  },
  shape('JSON_VALUE', "COUNT(JSON_VALUE(json, '$.user.name'))", "count(json ->> '$.user.name')"),
  shape('JSON_VALUE of a number', "MAX(JSON_VALUE(json, '$.price'))", "max(json ->> '$.price')"),
  shape('JSON_QUERY', "COUNT(JSON_QUERY(json, '$.user'))", "count(json -> '$.user')"),
  shape(
    'JSON_VALUE of three paths',
    "COUNT(JSON_VALUE(json, '$.user.name')) + COUNT(JSON_VALUE(json, '$.level')) + COUNT(JSON_VALUE(json, '$.path'))",
    "count(json ->> '$.user.name') + count(json ->> '$.level') + count(json ->> '$.path')",
  ),
  shape(
    'EXISTS over UNNEST',
    "COUNTIF(EXISTS(SELECT 1 FROM UNNEST(tags) AS t WHERE t = 'a1'))",
    "count(*) FILTER (list_contains(tags, 'a1'))",
  ),
  shape(
    'ARRAY over UNNEST',
    "MAX(ARRAY_LENGTH(ARRAY(SELECT UPPER(t) FROM UNNEST(tags) AS t WHERE t LIKE 'a%')))",
    "max(len(list_transform(list_filter(tags, lambda t: t LIKE 'a%'), lambda t: upper(t))))",
  ),
  shape(
    'value of a key of parameters',
    "MAX((SELECT p.value FROM UNNEST(params) AS p WHERE p.key = 'page'))",
    "max(list_filter(params, lambda p: p.key = 'page')[1].value)",
  ),
  shape(
    'COUNT over UNNEST',
    "SUM((SELECT COUNT(*) FROM UNNEST(tags) AS t WHERE t <> 'a1'))",
    "sum(len(list_filter(tags, lambda t: t <> 'a1')))",
  ),
  shape('one quantile of 100', 'APPROX_QUANTILES(x, 100)[OFFSET(95)]', 'quantile_disc(x, 0.95)'),
  shape(
    'one quantile of 100 by group',
    'APPROX_QUANTILES(x, 100)[OFFSET(95)]',
    'quantile_disc(x, 0.95)',
    'user_id % 100',
  ),
  shape(
    'TIMESTAMP_TRUNC with a zone',
    "COUNT(DISTINCT TIMESTAMP_TRUNC(ts, DAY, 'America/New_York'))",
    "count(DISTINCT timezone('America/New_York', date_trunc('day', timezone('America/New_York', ts))))",
  ),
  shape(
    'DATE with a zone',
    "COUNT(DISTINCT DATE(ts, 'America/New_York'))",
    "count(DISTINCT CAST(timezone('America/New_York', ts) AS DATE))",
  ),
  shape(
    'EXTRACT with a zone',
    "SUM(EXTRACT(HOUR FROM ts AT TIME ZONE 'Europe/Berlin'))",
    "sum(hour(timezone('Europe/Berlin', ts)))",
  ),
  shape(
    'LIKE ANY',
    "COUNTIF(url LIKE ANY ('%/path/1%', '%q=7%'))",
    "count(*) FILTER (url LIKE '%/path/1%' OR url LIKE '%q=7%')",
  ),
  shape('LIKE', "COUNTIF(url LIKE '%q=7%')", "count(*) FILTER (url LIKE '%q=7%')"),
  shape('NET.HOST', 'MAX(NET.HOST(url))', "max(regexp_extract(url, '^https?://([^/?]*)', 1))"),
  shape('FORMAT', "MAX(FORMAT('%05d', quantity))", "max(printf('%05d', quantity))"),
  shape(
    'DATE_TRUNC(WEEK)',
    'MAX(DATE_TRUNC(DATE(dt), WEEK))',
    "max(CAST(date_trunc('week', dt + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE))",
  ),
  shape('TO_HEX(MD5)', 'MAX(TO_HEX(MD5(url)))', 'max(md5(url))'),
  shape('UPPER(SUBSTR)', 'MAX(UPPER(SUBSTR(url, 9, 12)))', 'max(upper(substr(url, 9, 12)))'),
  shape('SPLIT(…)[OFFSET(n)]', "MAX(SPLIT(url, '/')[OFFSET(2)])", "max(split_part(url, '/', 3))"),
  shape(
    'REGEXP_EXTRACT',
    "MAX(REGEXP_EXTRACT(url, r'path/(\\d+)'))",
    "max(regexp_extract(url, 'path/(\\d+)', 1))",
  ),
  shape('INT64 arithmetic', 'SUM(id * 3 + quantity)', 'sum(id * 3 + quantity)'),
];

export function shape(name: string, values: string, hand: string, groupBy?: string, where?: string): Shape {
  const [sql, own] = [values, hand].map((list) => {
    const filter = where === undefined ? '' : ` WHERE ${where}`;
    if (groupBy === undefined) return `SELECT ${list} AS v FROM events${filter}`;
    const key = list === values ? groupBy.replace(/(\w+) % (\d+)/, 'MOD($1, $2)') : groupBy;
    return `SELECT COUNT(v) AS v FROM (SELECT ${list} AS v FROM events${filter} GROUP BY ${key})`;
  });
  return { name, sql: sql ?? '', hand: own ?? '' };
}
