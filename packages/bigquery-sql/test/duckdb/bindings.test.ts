import { BIGNUM, type DuckDBType, LIST, listValue, STRUCT, structValue } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { bindingsOf, bindTo } from '../../src/duckdb/bindings.ts';
import { readRows } from '../../src/duckdb/read-rows.ts';
import { openDialectDatabase } from '../support/dialect-database.ts';

it('binds a BIGNUMERIC of zero as a value that DuckDB computes with', async () => {
  const declared = [
    { name: 'one', bind: 'BIGNUMERIC' },
    { name: 'many', bind: 'BIGNUMERIC', repeated: true },
  ] as const;
  const bindings = bindingsOf({ one: '0', many: ['0', '-2.5'] }, new Date(), declared);
  const sql = `SELECT sum(CAST($one AS BIGNUM)), list_sum(CAST($many AS BIGNUM[])), CAST($one AS BIGNUM) = '0'::BIGNUM`;
  expect(await run(sql, bindings)).toEqual([0n, -25n * 10n ** 37n, true]);
});

it('binds a BIGNUMERIC within other values', async () => {
  const type: DuckDBType = STRUCT({ items: LIST(BIGNUM) });
  const value = structValue({ items: listValue([0n, null, 7n]) });
  const sql = `SELECT (CAST($one AS ${type})).items`;
  expect(String(await run(sql, new Map([['one', { value, type }]])))).toBe('[0, NULL, 7]');
});

async function run(sql: string, bindings: Parameters<typeof bindTo>[1]) {
  const { connection, close } = await openDialectDatabase();
  try {
    const statement = await connection.prepare(sql);
    bindTo(statement, bindings);
    return readRows(await statement.run())[0];
  } finally {
    close();
  }
}
