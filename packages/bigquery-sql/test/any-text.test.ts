import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSchemas } from '../conformance/load-shipped.ts';
import { type Compiled, compile } from '../src/compile.ts';
import { duckdbText } from '../src/passes/duckdb-text.ts';
import { ProblemError } from '../src/problem.ts';
import { planOf, tables } from './harness.ts';
import { createTable, type DialectDatabase, openDialectDatabase } from './support/dialect-database.ts';
import { exchangesOf, mutationsOf } from './syntax/mutations.ts';

/** How many mutated queries are checked; 20,000 by hand. */
const runs = Number(process.env.MUTATIONS ?? 300);

/** A JSON array of further texts, each a string or `{ sql }`. */
const further = process.env.MUTATED_TEXTS;

const limitMs = 2_000;

const allTables = [...tables, ...loadSchemas()];

const textsOfTests = globSync('packages/bigquery-sql/test/*.test.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/'((?:SELECT|WITH|FROM) [^'\n]+)'/g)].map(([, sql = '']) => sql),
);

const textsIn = (file: string): readonly string[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as readonly (string | { readonly sql: string })[]).map((text) =>
    typeof text === 'string' ? text : text.sql,
  );

const texts = [
  ...globSync('queries/*.sql').map((file) => readFileSync(file, 'utf8')),
  ...textsOfTests,
  ...(further === undefined ? [] : textsIn(further)),
];

let database: DialectDatabase;
beforeAll(async () => {
  database = await openDialectDatabase();
  for (const table of allTables) await database.connection.run(createTable(table));
});
afterAll(() => database.close());

test('no text makes anything but a plan or a problem with its place, within two seconds', {
  timeout: Math.max(300_000, 200 * runs),
}, async () => {
  const mutated = fc.oneof(mutationsOf(texts), { arbitrary: exchangesOf(texts), weight: 2 });
  await fc.assert(
    fc.asyncProperty(mutated, async (sql) => {
      const start = process.cpuUsage();
      const compiled = compileOrRefuse(sql);

      if (compiled) await plan(compiled);
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1000).toBeLessThan(limitMs);
    }),
    { numRuns: runs, seed: 14 },
  );
});

function compileOrRefuse(sql: string): Compiled | undefined {
  try {
    return compile({ sql, source: { file: 'any.sql', line: 1 } }, allTables);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const { file, line, column, message } of error.problems) {
      expect(file).toBe('any.sql');
      expect([line, column].every((place) => Number.isInteger(place) && Number(place) > 0)).toBe(true);
      expect(message).not.toMatch(/\n\s+at |undefined/);
    }
    return undefined;
  }
}

/** Makes both plans; DuckDB may refuse them, which is a problem of the query's file. */
async function plan(compiled: Compiled): Promise<void> {
  planOf(compiled);
  try {
    (await database.connection.prepare(duckdbText(compiled.query))).destroySync();
  } catch (error) {
    expect(String(error)).toMatch(/Error: /);
    expect(String(error)).not.toMatch(/INTERNAL Error|syntax error/i);
  }
}
