import { expect, test } from 'vitest';
import { INTEGER } from '@duckdb/node-api';
import { buildCompute } from '../../src/duckdb/compute-constants.ts';
import { openDialectDatabase } from '../support/dialect-database.ts';

test('the tables of many sets of parameters are dropped, and their constants computed', async () => {
  const { connection, close } = await openDialectDatabase();
  try {
    const compute = buildCompute(connection, (sql) => connection.prepare(sql));
    const add = async (name: string, value: number) => {
      const constants = [{ name: 'sum', sql: `"${name}" + 1`, hasParameters: true }] as const;
      const computed = await compute(constants, new Map([[name, { value, type: INTEGER }]]));
      return computed.get('sum')?.value;
    };
    for (let at = 0; at < 160; at += 1) expect(await add(`p${at}`, at)).toBe(at + 1);
    expect(await add('p0', 5)).toBe(6);
    expect(await add('p159', 7)).toBe(8);
    const rows = await connection.runAndReadAll('SELECT count(*) FROM duckdb_tables() WHERE temporary');
    expect(Number(rows.getRows()[0]?.[0])).toBe(128);
  } finally {
    close();
  }
});
