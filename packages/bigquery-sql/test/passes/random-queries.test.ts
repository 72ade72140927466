import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProblemError } from '../../src/problem.ts';
import { openDialect } from '../harness.ts';
import { chooseBy, randomQuery } from './random-queries.ts';
import { times } from '../../../../test/support/nightly.ts';

/** More of them are run by hand: `PASSES_QUERIES=2000 npx vitest run packages/bigquery-sql/test/passes`. */
const queryCount = Number(process.env.PASSES_QUERIES ?? times(16));

/** Ties, repeated keys and empty values, beside the rows of the harness. */
const rows = [
  // A table of BigQuery has no NULL arrays.
  'UPDATE logs SET metadata = [], tags = [] WHERE id = 4',
  `INSERT INTO logs VALUES
    (1, '2024-03-10 12:00:01+00', 'x', [{level: NULL, request: [{path: NULL, status: NULL}]}], ['x', NULL]),
    (2, '2024-03-10 12:00:01+00', 'PRO', [{level: 'x', request: []}], ['PRO'])`,
  `INSERT INTO events VALUES
    (2, '2024-03-10 12:00:01+00', {kind: 'x', source: []}),
    (5, '2024-03-10 12:00:01+00', {kind: 'PRO', source: [{host: 'a', ports: []}]})`,
  "INSERT INTO projects VALUES (NULL, 'x'), ('x', NULL)",
];

/** DuckDB refuses an outer join with a condition that is a subquery alone, as one may become when parts of it are known. */
const beyondDuckdb = /Cannot perform non-inner join on subquery/;

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect(rows);
});
afterAll(() => dialect.close());

test('random queries have the same rows with all passes, without any, and with each left out', async () => {
  const counts = { compared: 0, refused: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 5, maxLength: 150, size: 'max' }), async (tape) => {
      const sql = randomQuery(chooseBy(tape));
      const outcomes = await dialect.savedQuery(sql, { kind: 'a' }).catch((error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
        if (process.env.PASSES_DEBUG) console.log(sql, '\n  REFUSED', error.problems[0]?.message);
        return undefined;
      });
      if (!outcomes) {
        counts.refused += 1;
        return;
      }
      const [first] = outcomes;
      const failure =
        typeof first?.rows === 'string'
          ? first.rows
          : outcomes.find(({ rows }) => typeof rows === 'string' && beyondDuckdb.test(rows))?.rows;
      if (failure !== undefined) {
        if (process.env.PASSES_DEBUG) console.log(sql, '\n  FAILED', String(failure).slice(0, 300));
        counts.failed += 1;
        return;
      }
      counts.compared += 1;
      for (const { plan, sql: text, rows } of outcomes) {
        expect(rows, `${plan} of ${sql}\n${text}`).toEqual(first?.rows);
      }
    }),
    { numRuns: queryCount, ...(process.env.PASSES_SEED && { seed: Number(process.env.PASSES_SEED) }) },
  );
  if (process.env.PASSES_DEBUG) console.log(counts);
  expect(counts.compared).toBeGreaterThan(queryCount / 2);
}, 6_000_000);
