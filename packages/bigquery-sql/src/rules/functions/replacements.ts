/** An array of each element of an array, or of some. */
const elements = (element: string, rest = '') =>
  `ARRAY(SELECT ${element} FROM UNNEST(items) AS item WITH OFFSET AS i${rest} ORDER BY i)`;

/** A value of all elements of an array. */
const ofElements = (value: string) => `(SELECT ${value} FROM UNNEST(items) AS item)`;

/** A value of the pairs of elements of two arrays. */
const ofPairs = (value: string) => `(SELECT ${value} FROM UNNEST(a) AS item WITH OFFSET AS i)`;

/** An array of the elements of a JSON array. */
const jsonElements = (converter: string) =>
  `ARRAY(SELECT ${converter}(item) FROM UNNEST(JSON_QUERY_ARRAY(json)) AS item WITH OFFSET AS i ORDER BY i)`;

/** Functions that GoogleSQL has for other products, such as Spanner, and what BigQuery has. */
const ofGoogleSql: Readonly<Record<string, string>> = {
  approx_cosine_distance: 'COSINE_DISTANCE',
  approx_dot_product: ofPairs('SUM(item * b[OFFSET(i)])'),
  approx_euclidean_distance: 'EUCLIDEAN_DISTANCE',
  array_avg: ofElements('AVG(item)'),
  array_filter: elements('item', ' WHERE condition'),
  array_find: `${elements('item', ' WHERE condition')}[SAFE_OFFSET(0)]`,
  array_find_all: elements('item', ' WHERE condition'),
  array_first_n: 'ARRAY_SLICE(items, 0, n - 1)',
  array_includes: 'value IN UNNEST(items)',
  array_includes_all: 'NOT EXISTS (SELECT 1 FROM UNNEST(values) AS item WHERE item NOT IN UNNEST(items))',
  array_includes_any: 'EXISTS (SELECT 1 FROM UNNEST(values) AS item WHERE item IN UNNEST(items))',
  array_is_distinct: ofElements('COUNT(item) = COUNT(DISTINCT item)'),
  array_last_n: 'ARRAY_SLICE(items, -n, -1)',
  array_max: ofElements('MAX(item)'),
  array_min: ofElements('MIN(item)'),
  array_offset: '(SELECT MIN(i) FROM UNNEST(items) AS item WITH OFFSET AS i WHERE item = value)',
  array_offsets: elements('i', ' WHERE item = value'),
  array_sum: ofElements('SUM(item)'),
  array_transform: elements('expression'),
  array_zip: 'ARRAY(SELECT AS STRUCT item, b[OFFSET(i)] FROM UNNEST(a) AS item WITH OFFSET AS i ORDER BY i)',
  bool_array: jsonElements('BOOL'),
  current_user: 'SESSION_USER()',
  dot_product: ofPairs('SUM(item * b[OFFSET(i)])'),
  double: 'FLOAT64',
  double_array: jsonElements('FLOAT64'),
  flatten: 'ARRAY(SELECT inner_item FROM UNNEST(items) AS item, UNNEST(item.field) AS inner_item)',
  float32: 'FLOAT64',
  float32_array: jsonElements('FLOAT64'),
  float64_array: jsonElements('FLOAT64'),
  iferror: 'IFNULL(SAFE.function(…), otherwise)',
  int32: 'INT64',
  int32_array: jsonElements('INT64'),
  int64_array: jsonElements('INT64'),
  iserror: 'SAFE.function(…) IS NULL',
  l1_norm: ofElements('SUM(ABS(item))'),
  l2_norm: ofElements('SQRT(SUM(item * item))'),
  lax_bool_array: jsonElements('LAX_BOOL'),
  lax_double: 'LAX_FLOAT64',
  lax_double_array: jsonElements('LAX_FLOAT64'),
  lax_float32: 'LAX_FLOAT64',
  lax_float32_array: jsonElements('LAX_FLOAT64'),
  lax_float64_array: jsonElements('LAX_FLOAT64'),
  lax_int32: 'LAX_INT64',
  lax_int64_array: jsonElements('LAX_INT64'),
  lax_string_array: jsonElements('LAX_STRING'),
  lcase: 'LOWER',
  manhattan_distance: ofPairs('SUM(ABS(item - b[OFFSET(i)]))'),
  months_between: 'DATE_DIFF(later, earlier, MONTH)',
  nulliferror: 'SAFE.function(…)',
  nullifzero: 'NULLIF(value, 0)',
  pi: 'ACOS(-1)',
  pi_bignumeric: "BIGNUMERIC '3.14159265358979323846264338327950288420'",
  pi_numeric: "NUMERIC '3.141592654'",
  safe_to_json: 'TO_JSON',
  split_substr: 'SPLIT(text, delimiter)[SAFE_OFFSET(i)]',
  string_array: jsonElements('STRING'),
  timestamp_from_unix_micros: 'TIMESTAMP_MICROS',
  timestamp_from_unix_millis: 'TIMESTAMP_MILLIS',
  timestamp_from_unix_seconds: 'TIMESTAMP_SECONDS',
  ucase: 'UPPER',
  zeroifnull: 'IFNULL(value, 0)',
};

/** Functions of other databases that authors write, and what BigQuery has. */
const ofOthers: Readonly<Record<string, string>> = {
  array_contains: 'value IN UNNEST(items)',
  array_distinct: 'ARRAY(SELECT DISTINCT item FROM UNNEST(items) AS item)',
  array_join: 'ARRAY_TO_STRING',
  array_size: 'ARRAY_LENGTH',
  cardinality: 'ARRAY_LENGTH',
  charindex: 'STRPOS(text, part)',
  collect_list: 'ARRAY_AGG',
  date_format: 'FORMAT_DATE or FORMAT_TIMESTAMP',
  date_part: 'EXTRACT(part FROM value)',
  dateadd: 'DATE_ADD(date, INTERVAL n DAY)',
  datediff: 'DATE_DIFF(later, earlier, DAY)',
  explode: 'UNNEST in FROM',
  from_unixtime: 'TIMESTAMP_SECONDS',
  get_json_object: 'JSON_VALUE',
  getdate: 'CURRENT_DATETIME()',
  group_concat: 'STRING_AGG',
  iff: 'IF',
  isnull: 'IFNULL',
  json_extract_path_text: 'JSON_VALUE',
  len: 'LENGTH',
  listagg: 'STRING_AGG',
  median: 'APPROX_QUANTILES(value, 2)[OFFSET(1)], or PERCENTILE_CONT(value, 0.5) OVER ()',
  now: 'CURRENT_TIMESTAMP()',
  nvl: 'IFNULL',
  percentile_approx: 'APPROX_QUANTILES',
  random: 'RAND()',
  regexp_like: 'REGEXP_CONTAINS',
  rlike: 'REGEXP_CONTAINS',
  sysdate: 'CURRENT_DATETIME()',
  to_char: 'FORMAT_TIMESTAMP or FORMAT_DATE',
  to_date: 'PARSE_DATE',
  to_number: 'CAST(text AS NUMERIC)',
  to_timestamp: 'PARSE_TIMESTAMP or TIMESTAMP_SECONDS',
  unix_timestamp: 'UNIX_SECONDS',
};

/** BigQuery's replacements for functions that are not in its reference, by their names in lower case. */
export const replacements: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...ofOthers, ...ofGoogleSql }),
);

/** The functions that GoogleSQL's reference evaluator may have, and BigQuery has not. */
export const notInBigQuery: readonly string[] = Object.keys(ofGoogleSql);
