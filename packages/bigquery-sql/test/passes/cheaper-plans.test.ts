import { afterAll, beforeAll, expect, test } from 'vitest';
import { passes } from '../../src/passes/passes.ts';
import { type DuckdbPlan, openDialect } from '../harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

type Measure = (plan: DuckdbPlan) => number;

const operators =
  (name?: string): Measure =>
  ({ operators }) =>
    operators.filter((operator) => name === undefined || operator.name.includes(name)).length;

/** How many scans read more than one column of rows that no bound excludes: each join with a bound narrows one. */
const unboundedScans: Measure = ({ operators: planned }) => {
  const wide = planned.filter(({ name, info }) => name.includes('SCAN') && Array.isArray(info.Projections));
  const bounds = planned.filter(({ info }) => String(info.Conditions).endsWith('>= SUBQUERY'));
  return wide.length - bounds.length;
};

const occurrences =
  (pattern: RegExp): Measure =>
  ({ text }) =>
    [...text.matchAll(pattern)].length;

const structsBuilt = occurrences(/struct_pack/g);

/** For each pass, queries of which DuckDB has less to do by one measure. */
const cases: readonly (readonly [pass: string, what: string, measure: Measure, sql: string])[] = [
  [
    'fold parameters',
    'branches that are not taken are not read',
    occurrences(/detail\.kind/g),
    "SELECT id, CASE @kind WHEN 'a' THEN 'x' ELSE detail.kind END AS k FROM events ORDER BY id",
  ],
  [
    'inline queries',
    'a limit around a limit is one',
    operators(),
    'SELECT id FROM (SELECT id, happened FROM events ORDER BY happened, id LIMIT 3) LIMIT 2',
  ],
  [
    'split records',
    'a record of which one field is read is not built',
    structsBuilt,
    'WITH a AS (SELECT id, detail FROM events) SELECT x.detail.kind FROM a x JOIN a y ON x.id = y.id ORDER BY x.id',
  ],
  [
    'unnest records',
    'an array of one record is no join',
    operators(),
    'SELECT id, m.level FROM logs, UNNEST(metadata) AS m ORDER BY id',
  ],
  [
    'unnest in place',
    'an array is unnested where it is read',
    operators('DELIM'),
    'SELECT id, tag FROM logs LEFT JOIN UNNEST(tags) AS tag ON TRUE ORDER BY id, tag',
  ],
  [
    'filter lists',
    'EXISTS over an array is no join',
    operators(),
    "SELECT id, EXISTS(SELECT 1 FROM UNNEST(tags) AS t WHERE t = 'x') AS x FROM logs ORDER BY id",
  ],
  [
    'filter lists',
    'a value of an array is no join',
    operators(),
    "SELECT id, (SELECT t FROM UNNEST(tags) AS t WHERE t < 'y') AS t FROM logs ORDER BY id",
  ],
  [
    'filter lists',
    'distinct elements of an array in their order are no join',
    operators(),
    'SELECT id, ARRAY(SELECT DISTINCT t FROM UNNEST(tags) AS t ORDER BY t DESC LIMIT 2) AS t FROM logs ORDER BY id',
  ],
  [
    'filter lists',
    'the first element of an array by its offset is no join',
    operators(),
    'SELECT id, (SELECT t FROM UNNEST(tags) AS t WITH OFFSET AS o ORDER BY o DESC LIMIT 1) AS t FROM logs ORDER BY id',
  ],
  [
    'limit arrays',
    'the latest value is found without sorting',
    occurrences(/list\(/g),
    'SELECT project, ARRAY_AGG(id ORDER BY timestamp DESC LIMIT 1)[OFFSET(0)] AS latest FROM logs GROUP BY project ORDER BY project',
  ],
  [
    'limit arrays',
    'of one latest value no array is made',
    occurrences(/at_offset/g),
    'SELECT project, ARRAY_AGG(id ORDER BY timestamp DESC LIMIT 1)[OFFSET(0)] AS latest FROM logs GROUP BY project ORDER BY project',
  ],
  [
    'limit arrays',
    'the latest values are found without sorting',
    occurrences(/list\(/g),
    'SELECT ARRAY_AGG(id ORDER BY happened DESC LIMIT 2) AS latest FROM events WHERE id <> 3',
  ],
  [
    'prune columns',
    'columns that nobody reads are not planned',
    occurrences(/bq\.upper|upper\(/g),
    'WITH a AS (SELECT id, UPPER(project) AS p FROM logs) SELECT x.id FROM a x JOIN a y ON x.id = y.id ORDER BY x.id',
  ],
  [
    'top n first',
    'wide rows are read for the first keys only',
    unboundedScans,
    'SELECT id, happened, detail FROM events ORDER BY happened DESC, id LIMIT 2',
  ],
  [
    'share json reads',
    'a text of which several paths are read is checked once',
    occurrences(/json_scalar_at_key/g),
    "SELECT id, JSON_VALUE(project, '$.a') AS a, JSON_VALUE(project, '$.b') AS b FROM logs ORDER BY id",
  ],
  [
    'narrow quantiles',
    'only the quantiles that are read are computed',
    ({ text }) => text.length,
    'SELECT q[OFFSET(50)] AS median FROM (SELECT APPROX_QUANTILES(id, 100) AS q FROM logs)',
  ],
  [
    'narrow quantiles',
    'quantiles that are read where they are computed are one aggregate',
    ({ text }) => text.length,
    'SELECT APPROX_QUANTILES(id, 100)[OFFSET(50)] AS median, APPROX_QUANTILES(id, 100)[OFFSET(95)] AS p95 FROM logs',
  ],
  [
    'join lists',
    'a list is not searched for every row',
    occurrences(/bq\.op_in/g),
    'SELECT id FROM logs WHERE id IN UNNEST([1, NULL, 3]) ORDER BY id',
  ],
];

test('there are cases for every pass', () => {
  expect(new Set(cases.map(([pass]) => pass))).toEqual(new Set(Object.keys(passes)));
});

test.each(cases)('%s: %s', async (pass, _, measure, sql) => {
  const parameters: Readonly<Record<string, string>> = sql.includes('@kind') ? { kind: 'a' } : {};
  await dialect.query(sql, parameters);
  const cost = measure(await dialect.explain(sql, parameters));
  const without = await dialect.explain(sql, parameters, pass);
  expect(cost, without.text).toBeLessThan(measure(without));
});

test('hoist constants: what depends on no row is bound as a value', async () => {
  const sql =
    'SELECT id FROM logs WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY) ORDER BY id';
  await dialect.query(sql);
  const { operators: planned, text } = await dialect.explain(sql);
  expect(text).not.toContain('bq.');
  const scan = planned.find(({ name }) => name.includes('SCAN'));
  expect(String(scan?.info.Filters)).toContain('2024-03-03 12:34:56');
});
