import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flags, nestedCalls } from '../../conformance/depth/nested-calls.ts';
import { sizesOf } from '../../conformance/depth/plans.ts';
import { isNightly } from '../../../../test/support/nightly.ts';
import { createTable, type DialectDatabase, openDialectDatabase } from '../support/dialect-database.ts';

/** Twice as large where each level adds as much as the one before, 16 times where each doubles what is inside it. */
const maxGrowth = 3;

describe('each function and operator inside itself', () => {
  let database: DialectDatabase;
  beforeAll(async () => {
    database = await openDialectDatabase({ threads: '1' });
    await database.connection.run(createTable(flags));
    await database.connection.run("SET explain_output = 'all'");
  });
  afterAll(() => database.close());

  test('has a text and a plan about twice as large eight deep as four deep', async () => {
    const calls = nestedCalls();
    expect(new Set(calls.map(({ subject }) => subject)).size).toBeGreaterThan(250);
    const grown: string[] = [];
    const tried = calls.filter((_, at) => isNightly || at % 20 === 0);
    for (const { subject, shown, sql } of tried) {
      const four = await sizesOf(database.connection, sql(4));
      const eight = await sizesOf(database.connection, sql(8));
      if (eight.some((size, at) => size > maxGrowth * (four[at] ?? 0))) grown.push(`${subject}: ${shown}`);
    }
    expect(grown).toEqual([]);
  }, 600_000);
});

test('a macro that compiled queries call has no types of parameters: DuckDB would bind its arguments twice', async () => {
  const { connection, close } = await openDialectDatabase();
  const typed = await connection.runAndReadAll(
    `SELECT DISTINCT function_name FROM duckdb_functions()
     WHERE schema_name = 'bq' AND contains(function_name, '(') AND len(array_to_string(parameter_types, '')) > 0`,
  );
  expect(typed.getRows()).toEqual([]);
  close();
});
