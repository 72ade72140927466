import { type DuckDBConnection, DuckDBInstance, INTEGER } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildCompute } from '../../src/duckdb/compute-constants.ts';
import { openSession } from '../../src/duckdb/open-session.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterEach(() => {
  connection.closeSync();
  instance.closeSync();
});

test('a session goes on after a transaction of its owner that was rolled back', async () => {
  await connection.run("CREATE TABLE logs AS SELECT 'a' AS name");
  const session = await openSession(connection);
  const run = () =>
    session.run('SELECT initcap(name) AS x FROM logs WHERE starts_with(name, lower(@p))', {
      parameters: { p: 'A' },
    });
  await connection.run('BEGIN');
  expect(await run()).toMatchObject({ rows: [['A']] });
  await connection.run('ROLLBACK');
  expect(await run()).toMatchObject({ rows: [['A']] });
});

test('constants are computed after a transaction that was rolled back', async () => {
  const compute = buildCompute(connection, (sql) => connection.prepare(sql));
  const constants = [{ name: 'next', sql: 'value + 1', hasParameters: true }] as const;
  const next = async (value: number) => {
    const computed = await compute(constants, new Map([['value', { value, type: INTEGER }]]));
    return computed.get('next')?.value;
  };
  // The table of the parameters is cleared before each 32nd row.
  for (const uses of [1, 32]) {
    await connection.run('BEGIN');
    for (let at = 0; at < uses; at += 1) expect(await next(at)).toBe(at + 1);
    await connection.run('ROLLBACK');
    await connection.run('BEGIN');
    expect(await next(1)).toBe(2);
    await connection.run('COMMIT');
    expect(await next(2)).toBe(3);
  }
});
