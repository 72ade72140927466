import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSame } from '../../packages/bigquery-sql/conformance/compare.ts';
import { type LocalEngine, openLocalEngine } from '../../packages/bigquery-sql/conformance/local/engine.ts';
import type { Parameters } from '../../packages/bigquery-sql/conformance/parameters.ts';
import type { Table } from '../../packages/bigquery-sql/conformance/table.ts';
import { openRandom } from '../../packages/bigquery-sql/test/support/random.ts';
import { compose } from './compose.ts';
import { linkedSql } from './folder.ts';

const tables: readonly Table[] = [
  {
    name: 'flat',
    fields: [
      { name: 'id', type: 'INT64', mode: 'NULLABLE' },
      { name: 'k', type: 'STRING', mode: 'NULLABLE' },
    ],
    rows: [
      { id: 1, k: 'a' },
      { id: 2, k: 'b' },
      { id: 3, k: 'a' },
    ],
  },
];

const sql = `WITH base AS (SELECT id, UPPER(k) AS k FROM flat WHERE id > @least), other AS (SELECT * FROM base AS b)
SELECT d.k, CONCAT(d.k, '-', d.k) AS twice, (SELECT COUNT(*) FROM other AS o WHERE o.k = d.k) AS n
FROM (SELECT DISTINCT k FROM other AS x WHERE x.k <> @without) AS d
ORDER BY d.k LIMIT @most`;

const parameters: Parameters = {
  least: { type: 'INT64', value: '0' },
  without: 'z',
  most: { type: 'INT64', value: '5' },
};

let local: LocalEngine;
beforeAll(async () => {
  local = await openLocalEngine(tables);
});
afterAll(() => local.close());

test('a query whose parts are files has the rows of the query', async () => {
  const pasted = await local.evaluate(sql, parameters);
  expect('rows' in pasted && pasted.rows).toHaveLength(2);
  const seen = { parts: 0, views: 0, functions: 0, bound: 0 };
  for (let seed = 1; seed <= 30; seed += 1) {
    const { folder, counts } = compose(sql, parameters, tables, openRandom(seed));
    const linked = linkedSql(folder);
    if ('refused' in linked) throw new Error(linked.refused);
    const used = Object.entries(parameters).filter(([name]) => linked.sql.includes(`@${name}`));
    const composed = await local.evaluate(linked.sql, Object.fromEntries(used));
    expect(isSame(composed, pasted, true), linked.sql).toBe(true);
    for (const sort of ['parts', 'views', 'functions', 'bound'] as const) seen[sort] += counts[sort];
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

test('what is refused as parts says why', () => {
  const folder = new Map([['reader.sql', 'SELECT * FROM query.missing']]);
  expect(linkedSql(folder)).toHaveProperty('refused');
});
