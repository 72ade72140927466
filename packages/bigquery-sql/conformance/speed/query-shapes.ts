import { type Shape, shape } from './shapes.ts';

/** Whole queries of daily use, and functions that they call, which a stranger wrote to measure the dialect with. */
export const queryShapes: readonly Shape[] = [
  shape(
    'INITCAP',
    'MAX(INITCAP(name))',
    "max(array_to_string(list_transform(string_split(name, ' '), lambda w: upper(w[1]) || lower(w[2:])), ' '))",
  ),
  shape('INSTR from the end', "SUM(INSTR(url, '/', -1))", "sum(length(url) - strpos(reverse(url), '/') + 1)"),
  {
    name: 'FARM_FINGERPRINT sampling',
    sql: 'SELECT COUNT(*) AS v FROM events WHERE MOD(ABS(FARM_FINGERPRINT(CAST(user_id AS STRING))), 10) = 0',
    hand: 'SELECT count(*) AS v FROM events WHERE hash(user_id::VARCHAR) % 10 = 0',
    differs: 'DuckDB has another hash',
  },
  shape(
    'ARRAY(SELECT DISTINCT … ORDER BY)',
    "MAX(ARRAY_TO_STRING(ARRAY(SELECT DISTINCT g FROM UNNEST(tags) AS g ORDER BY g), ','))",
    "max(array_to_string(list_sort(list_distinct(tags)), ','))",
  ),
  shape(
    'NET.REG_DOMAIN',
    'MAX(NET.REG_DOMAIN(url))',
    "max(regexp_extract(url, '^https?://(?:[^/?.]*\\.)*([^/?.]+\\.[^/?.]+\\.[^/?.]+)', 1))",
  ),
  shape(
    'RANGE_BUCKET',
    'SUM(RANGE_BUCKET(quantity, [0, 10, 20, 50, 80]))',
    'sum(CASE WHEN quantity < 0 THEN 0 WHEN quantity < 10 THEN 1 WHEN quantity < 20 THEN 2 WHEN quantity < 50 THEN 3 WHEN quantity < 80 THEN 4 ELSE 5 END)',
  ),
  shape('SAFE_DIVIDE of NUMERIC', 'MAX(SAFE_DIVIDE(amount, 3))', 'max(amount / nullif(3, 0))'),
  shape(
    'TO_JSON_STRING(STRUCT)',
    'MAX(TO_JSON_STRING(STRUCT(id, kind, quantity)))',
    "max(to_json({'id': id, 'kind': kind, 'quantity': quantity})::VARCHAR)",
  ),
  shape(
    'latest three STRUCTs of each key',
    'ARRAY_AGG(STRUCT(x, id) ORDER BY ts DESC LIMIT 3)',
    "arg_max({'x': x, 'id': id}, ts, 3)",
    'user_id',
  ),
  {
    name: 'JSON_QUERY_ARRAY, unnested',
    sql: "SELECT COUNT(DISTINCT JSON_VALUE(item)) AS v FROM events, UNNEST(JSON_QUERY_ARRAY(json_list, '$')) AS item",
    hand: "SELECT count(DISTINCT item ->> '$') AS v FROM (SELECT unnest(json_extract(json_list, '$[*]')) AS item FROM events)",
  },
  shape(
    'number in JSON',
    "SUM(CAST(JSON_EXTRACT_SCALAR(json, '$.price') AS FLOAT64))",
    "sum(CAST(json ->> '$.price' AS DOUBLE))",
  ),
  shape(
    'field of JSON',
    'COUNT(DISTINCT JSON_VALUE(doc.user.name))',
    "count(DISTINCT doc -> 'user' ->> 'name')",
  ),
  shape(
    'JSON_VALUE of JSON',
    "COUNT(DISTINCT JSON_VALUE(doc, '$.user.name'))",
    "count(DISTINCT doc ->> '$.user.name')",
  ),
  shape('ANY_VALUE HAVING MAX', 'ANY_VALUE(x HAVING MAX ts)', 'arg_max(x, ts)', 'user_id'),
  shape(
    'CAST AS INT64 by group',
    'SUM(CAST(digits AS INT64))',
    'sum(CAST(digits AS BIGINT))',
    'user_id % 100',
  ),
  shape(
    'SAFE_CAST AS FLOAT64 by group',
    'AVG(SAFE_CAST(dirty AS FLOAT64))',
    'avg(try_cast(dirty AS DOUBLE))',
    'user_id % 100',
  ),
  {
    name: 'CAST AS DATE, grouped',
    sql: 'SELECT COUNT(d) AS v FROM (SELECT CAST(day AS DATE) AS d FROM events GROUP BY 1)',
    hand: 'SELECT count(d) AS v FROM (SELECT CAST(day AS DATE) AS d FROM events GROUP BY 1)',
  },
  {
    name: 'PIVOT',
    sql: "SELECT SUM(a + b + c) AS v FROM (SELECT user_id, kind, quantity FROM events) PIVOT(SUM(quantity) FOR kind IN ('view' AS a, 'click' AS b, 'cart' AS c))",
    hand: "SELECT sum(a + b + c) AS v FROM (SELECT user_id, sum(quantity) FILTER (kind = 'view') AS a, sum(quantity) FILTER (kind = 'click') AS b, sum(quantity) FILTER (kind = 'cart') AS c FROM events GROUP BY user_id)",
  },
  shape(
    'PARSE_TIMESTAMP',
    "MAX(PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', moment))",
    "max(timezone('UTC', strptime(moment, '%Y-%m-%d %H:%M:%S')))",
  ),
  shape(
    'PARSE_DATE without dashes',
    "MAX(PARSE_DATE('%Y%m%d', short_day))",
    "max(CAST(strptime(short_day, '%Y%m%d') AS DATE))",
  ),
  {
    name: 'FORMAT_DATE of a month, grouped',
    sql: "SELECT COUNT(m) AS v FROM (SELECT FORMAT_DATE('%Y-%m', DATE(dt)) AS m FROM events GROUP BY m)",
    hand: "SELECT count(m) AS v FROM (SELECT strftime(dt::DATE, '%Y-%m') AS m FROM events GROUP BY m)",
  },
  shape(
    'ROUND(SUM / COUNT)',
    'ROUND(SUM(quantity) / COUNT(*), 2)',
    'round(sum(quantity) / count(*), 2)',
    'user_id',
  ),
  {
    name: 'daily users in a zone',
    sql: "SELECT SUM(n) AS v FROM (SELECT DATE(ts, 'Europe/Berlin') AS d, COUNT(DISTINCT user_id) AS n FROM events GROUP BY d)",
    hand: "SELECT sum(n) AS v FROM (SELECT CAST(timezone('Europe/Berlin', ts) AS DATE) AS d, count(DISTINCT user_id) AS n FROM events GROUP BY d)",
  },
  {
    name: 'TRIM and LIKE',
    sql: "SELECT COUNT(*) AS v FROM events WHERE TRIM(name) LIKE 'anna%9 SMITH'",
    hand: "SELECT count(*) AS v FROM events WHERE trim(name) LIKE 'anna%9 SMITH'",
  },
  shape(
    'REGEXP_REPLACE',
    "MAX(REGEXP_REPLACE(url, r'\\?.*$', ''))",
    "max(regexp_replace(url, '\\?.*$', '', 'g'))",
  ),
  {
    name: 'two parameters of an event, grouped',
    sql: "SELECT COUNT(*) AS v FROM (SELECT (SELECT value FROM UNNEST(params) WHERE key = 'page') AS page, (SELECT value FROM UNNEST(params) WHERE key = 'source') AS source, COUNT(*) AS n FROM events GROUP BY 1, 2)",
    hand: "SELECT count(*) AS v FROM (SELECT list_filter(params, lambda p: p.key = 'page')[1].value AS page, list_filter(params, lambda p: p.key = 'source')[1].value AS source, count(*) AS n FROM events GROUP BY 1, 2)",
  },
  {
    name: 'QUALIFY',
    sql: 'SELECT SUM(id) AS v FROM (SELECT id FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id, kind ORDER BY ts) <= 3)',
    hand: 'SELECT sum(id) AS v FROM (SELECT id FROM events QUALIFY row_number() OVER (PARTITION BY user_id, kind ORDER BY ts) <= 3)',
  },
  {
    name: 'sessions',
    sql: 'SELECT SUM(is_new) AS v FROM (SELECT IF(TIMESTAMP_DIFF(ts, LAG(ts) OVER (PARTITION BY user_id ORDER BY ts), MINUTE) > 30, 1, 0) AS is_new FROM events)',
    hand: "SELECT sum(is_new) AS v FROM (SELECT CASE WHEN date_diff('microsecond', lag(ts) OVER (PARTITION BY user_id ORDER BY ts), ts) // 60000000 > 30 THEN 1 ELSE 0 END AS is_new FROM events)",
  },
  {
    name: 'ROLLUP',
    sql: 'SELECT COUNT(*) AS v FROM (SELECT kind, MOD(user_id, 100) AS u, SUM(quantity) AS q FROM events GROUP BY ROLLUP(kind, u))',
    hand: 'SELECT count(*) AS v FROM (SELECT kind, user_id % 100 AS u, sum(quantity) AS q FROM events GROUP BY ROLLUP(kind, u))',
  },
  shape(
    'STRING_AGG(DISTINCT)',
    "STRING_AGG(DISTINCT kind, ',' ORDER BY kind)",
    "string_agg(DISTINCT kind, ',' ORDER BY kind)",
    'user_id',
  ),
  {
    name: 'LAG',
    sql: 'SELECT SUM(d) AS v FROM (SELECT quantity - LAG(quantity) OVER (PARTITION BY user_id ORDER BY ts) AS d FROM events)',
    hand: 'SELECT sum(d) AS v FROM (SELECT quantity - lag(quantity) OVER (PARTITION BY user_id ORDER BY ts) AS d FROM events)',
  },
  {
    name: 'running total',
    sql: 'SELECT MAX(t) AS v FROM (SELECT SUM(quantity) OVER (PARTITION BY user_id ORDER BY ts ROWS UNBOUNDED PRECEDING) AS t FROM events)',
    hand: 'SELECT max(t) AS v FROM (SELECT sum(quantity) OVER (PARTITION BY user_id ORDER BY ts ROWS UNBOUNDED PRECEDING) AS t FROM events)',
  },
  {
    name: 'moving average',
    sql: 'SELECT MAX(t) AS v FROM (SELECT AVG(x) OVER (PARTITION BY user_id ORDER BY ts ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS t FROM events)',
    hand: 'SELECT max(t) AS v FROM (SELECT avg(x) OVER (PARTITION BY user_id ORDER BY ts ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS t FROM events)',
  },
  {
    name: 'RANK of sums',
    sql: 'SELECT SUM(r) AS v FROM (SELECT RANK() OVER (ORDER BY SUM(quantity) DESC) AS r FROM events GROUP BY user_id)',
    hand: 'SELECT sum(r) AS v FROM (SELECT rank() OVER (ORDER BY sum(quantity) DESC) AS r FROM events GROUP BY user_id)',
  },
  {
    name: 'share of the total',
    sql: 'SELECT MAX(s) AS v FROM (SELECT SUM(quantity) / SUM(SUM(quantity)) OVER () AS s FROM events GROUP BY user_id)',
    hand: 'SELECT max(s) AS v FROM (SELECT sum(quantity) / sum(sum(quantity)) OVER () AS s FROM events GROUP BY user_id)',
  },
  {
    name: 'FIRST_VALUE',
    sql: 'SELECT COUNT(DISTINCT f) AS v FROM (SELECT FIRST_VALUE(kind) OVER (PARTITION BY user_id ORDER BY ts) AS f FROM events)',
    hand: 'SELECT count(DISTINCT f) AS v FROM (SELECT first_value(kind) OVER (PARTITION BY user_id ORDER BY ts) AS f FROM events)',
  },
  {
    name: 'JOIN, grouped',
    sql: 'SELECT COUNT(*) AS v FROM (SELECT u.country, COUNT(*) AS n, SUM(e.x) AS x FROM events AS e JOIN users AS u USING (user_id) GROUP BY u.country)',
    hand: 'SELECT count(*) AS v FROM (SELECT u.country, count(*) AS n, sum(e.x) AS x FROM events AS e JOIN users AS u USING (user_id) GROUP BY u.country)',
  },
  {
    name: 'LEFT JOIN without a match',
    sql: 'SELECT COUNT(*) AS v FROM events AS e LEFT JOIN users AS u ON u.user_id = e.user_id WHERE u.user_id IS NULL',
    hand: 'SELECT count(*) AS v FROM events AS e LEFT JOIN users AS u ON u.user_id = e.user_id WHERE u.user_id IS NULL',
  },
  {
    name: 'IN a subquery',
    sql: "SELECT COUNT(*) AS v FROM events WHERE user_id IN (SELECT user_id FROM users WHERE country = 'DE')",
    hand: "SELECT count(*) AS v FROM events WHERE user_id IN (SELECT user_id FROM users WHERE country = 'DE')",
  },
  {
    name: 'NOT EXISTS',
    sql: 'SELECT COUNT(*) AS v FROM events AS e WHERE NOT EXISTS (SELECT 1 FROM users AS u WHERE u.user_id = e.user_id)',
    hand: 'SELECT count(*) AS v FROM events AS e WHERE NOT EXISTS (SELECT 1 FROM users AS u WHERE u.user_id = e.user_id)',
  },
  {
    name: 'REGEXP_CONTAINS',
    sql: "SELECT COUNT(*) AS v FROM events WHERE REGEXP_CONTAINS(url, r'example-4\\d\\.')",
    hand: "SELECT count(*) AS v FROM events WHERE regexp_matches(url, 'example-4\\d\\.')",
  },
  {
    name: 'NET.HOST, grouped',
    sql: 'SELECT COUNT(h) AS v FROM (SELECT NET.HOST(url) AS h, COUNT(*) AS n FROM events GROUP BY h)',
    hand: "SELECT count(h) AS v FROM (SELECT regexp_extract(url, '^https?://([^/?]*)', 1) AS h, count(*) AS n FROM events GROUP BY h)",
  },
  {
    name: 'hours in a zone, grouped',
    sql: "SELECT COUNT(h) AS v FROM (SELECT EXTRACT(HOUR FROM ts AT TIME ZONE 'America/New_York') AS h, COUNT(*) AS n FROM events GROUP BY h)",
    hand: "SELECT count(h) AS v FROM (SELECT hour(timezone('America/New_York', ts)) AS h, count(*) AS n FROM events GROUP BY h)",
  },
  shape('CAST AS TIMESTAMP', 'MAX(CAST(moment AS TIMESTAMP))', 'max(CAST(moment AS TIMESTAMPTZ))'),
  {
    name: 'newest 1,000 rows',
    sql: 'SELECT SUM(id) AS v FROM (SELECT * FROM events ORDER BY ts DESC LIMIT 1000)',
    hand: 'SELECT sum(id) AS v FROM (SELECT * FROM events ORDER BY ts DESC LIMIT 1000)',
  },
  {
    name: 'date spine',
    sql: "SELECT SUM(n) AS v FROM (SELECT d, COUNT(e.id) AS n FROM UNNEST(GENERATE_DATE_ARRAY('2023-11-01', '2024-12-31')) AS d LEFT JOIN events AS e ON DATE(e.dt) = d GROUP BY d)",
    hand: "SELECT sum(n) AS v FROM (SELECT d, count(e.id) AS n FROM (SELECT unnest(generate_series(DATE '2023-11-01', DATE '2024-12-31', INTERVAL 1 DAY))::DATE AS d) LEFT JOIN events AS e ON e.dt::DATE = d GROUP BY d)",
  },
  shape('NUMERIC * INT64 by group', 'SUM(amount * quantity)', 'sum(amount * quantity)', 'user_id % 100'),
  shape(
    'SAFE_CAST AS INT64 by group',
    'COUNT(SAFE_CAST(dirty AS INT64))',
    'count(try_cast(dirty AS BIGINT))',
    'user_id % 100',
  ),
  shape('ROUND(AVG of NUMERIC)', 'ROUND(AVG(amount), 2)', 'round(avg(amount), 2)', 'user_id % 100'),
  {
    name: 'EXISTS over UNNEST in WHERE',
    sql: "SELECT COUNT(*) AS v FROM events WHERE EXISTS (SELECT 1 FROM UNNEST(params) AS p WHERE p.key = 'page' AND p.value = 'p7')",
    hand: "SELECT count(*) AS v FROM events WHERE len(list_filter(params, lambda p: p.key = 'page' AND p.value = 'p7')) > 0",
  },
  shape(
    'two quantiles of 100',
    'APPROX_QUANTILES(x, 100)[OFFSET(50)] + APPROX_QUANTILES(x, 100)[OFFSET(95)]',
    'quantile_disc(x, 0.5) + quantile_disc(x, 0.95)',
  ),
  {
    name: 'hours, grouped',
    sql: 'SELECT COUNT(h) AS v FROM (SELECT TIMESTAMP_TRUNC(ts, HOUR) AS h, COUNT(*) AS n, COUNTIF(kind = "click") AS c FROM events GROUP BY h)',
    hand: "SELECT count(h) AS v FROM (SELECT date_trunc('hour', ts) AS h, count(*) AS n, count(*) FILTER (kind = 'click') AS c FROM events GROUP BY h)",
  },
  {
    name: 'COUNT(DISTINCT) by group',
    sql: 'SELECT SUM(n) AS v FROM (SELECT kind, COUNT(DISTINCT user_id) AS n FROM events GROUP BY kind)',
    hand: 'SELECT sum(n) AS v FROM (SELECT kind, count(DISTINCT user_id) AS n FROM events GROUP BY kind)',
  },
  shape(
    'SUM(IF)',
    "SUM(IF(kind = 'purchase', amount, 0))",
    "sum(CASE WHEN kind = 'purchase' THEN amount ELSE 0 END)",
  ),
  shape('DATE_DIFF', "SUM(DATE_DIFF(DATE(dt), DATE '2020-01-01', DAY))", "sum(dt::DATE - DATE '2020-01-01')"),
  {
    name: 'DATE_SUB and DATE_DIFF of a join',
    sql: 'SELECT COUNTIF(DATE(e.dt) > DATE_ADD(u.joined, INTERVAL 3 MONTH)) AS v FROM events AS e JOIN users AS u USING (user_id)',
    hand: 'SELECT count(*) FILTER (e.dt::DATE > u.joined + INTERVAL 3 MONTH) AS v FROM events AS e JOIN users AS u USING (user_id)',
  },
  {
    name: 'words of a text, unnested',
    sql: "SELECT COUNT(DISTINCT w) AS v FROM events, UNNEST(SPLIT(url, '/')) AS w",
    hand: "SELECT count(DISTINCT w) AS v FROM (SELECT unnest(string_split(url, '/')) AS w FROM events)",
  },
  shape(
    'CONCAT, LOWER and REPLACE',
    "MAX(CONCAT(LOWER(name), '-', REPLACE(kind, 'c', 'k')))",
    "max(lower(name) || '-' || replace(kind, 'c', 'k'))",
  ),
  {
    name: 'a common table, read twice',
    sql: 'WITH d AS (SELECT DATE(dt) AS d, SUM(quantity) AS q FROM events GROUP BY d) SELECT SUM(a.q - b.q) AS v FROM d AS a JOIN d AS b ON b.d = DATE_SUB(a.d, INTERVAL 1 DAY)',
    hand: 'WITH d AS (SELECT dt::DATE AS d, sum(quantity) AS q FROM events GROUP BY d) SELECT sum(a.q - b.q) AS v FROM d AS a JOIN d AS b ON b.d = a.d - 1',
  },
  {
    name: 'UNION ALL of two',
    sql: "SELECT SUM(n) AS v FROM (SELECT COUNT(*) AS n FROM events WHERE kind = 'view' UNION ALL SELECT COUNT(*) FROM events WHERE quantity > 50)",
    hand: "SELECT sum(n) AS v FROM (SELECT count(*) AS n FROM events WHERE kind = 'view' UNION ALL SELECT count(*) FROM events WHERE quantity > 50)",
  },
  shape(
    'FORMAT_TIMESTAMP',
    "MAX(FORMAT_TIMESTAMP('%Y-%m-%d %H:%M', ts))",
    "max(strftime(ts, '%Y-%m-%d %H:%M'))",
  ),
  {
    name: 'JSON_VALUE, grouped',
    sql: "SELECT COUNT(n) AS v FROM (SELECT JSON_VALUE(json, '$.user.name') AS name, COUNT(*) AS n FROM events GROUP BY name)",
    hand: "SELECT count(n) AS v FROM (SELECT json ->> '$.user.name' AS name, count(*) AS n FROM events GROUP BY json ->> '$.user.name')",
  },
  {
    name: 'DATE_TRUNC(MONTH), grouped',
    sql: 'SELECT SUM(n) AS v FROM (SELECT DATE_TRUNC(DATE(ts), MONTH) AS m, COUNT(DISTINCT user_id) AS n FROM events GROUP BY m)',
    hand: "SELECT sum(n) AS v FROM (SELECT date_trunc('month', ts) AS m, count(DISTINCT user_id) AS n FROM events GROUP BY m)",
  },
];
