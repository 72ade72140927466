import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type Session } from '../src/duckdb/open-session.ts';

let session: Session;
let close: () => void;
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  // The greatest value of a stored column decides what its sum checks.
  await connection.run(`CREATE TABLE finite (x DOUBLE, n BIGINT);
    INSERT INTO finite VALUES (1e308, 1), (1e308, 1), (NULL, 1);
    CREATE TABLE infinite AS FROM finite UNION ALL VALUES ('inf'::DOUBLE, 1);
    CREATE TABLE excluded AS FROM finite UNION ALL VALUES ('inf'::DOUBLE, NULL), ('-inf'::DOUBLE, 0);`);
  session = await openSession(connection);
  close = () => {
    connection.closeSync();
    instance.closeSync();
  };
});
afterAll(() => close());

const sums = [
  'x',
  '-x',
  'x / n',
  'SAFE_DIVIDE(x, n)',
  'ROUND(x, 2)',
  'TRUNC(x)',
  'ABS(x) / n',
  'x + 1',
  'IF(TRUE, x, 0)',
];

async function answer(sql: string): Promise<unknown> {
  const outcome = await session.run(sql);
  if ('error' in outcome) return outcome.error;
  return 'rows' in outcome ? Number(outcome.rows[0]?.[0]) : undefined;
}

test.each(sums)('SUM(%s) fails beyond FLOAT64, and is infinite if a value is', async (value) => {
  expect(await answer(`SELECT SUM(${value}) FROM finite`)).toMatchObject({
    message: expect.stringContaining('overflow'),
  });
  expect(await answer(`SELECT SUM(v) FROM (SELECT ${value} AS v FROM finite)`)).toMatchObject({
    message: expect.stringContaining('overflow'),
  });
  expect(Math.abs(Number(await answer(`SELECT SUM(${value}) FROM infinite`)))).toBe(Number.POSITIVE_INFINITY);
});

test('AVG fails beyond FLOAT64, and is infinite if a value is', async () => {
  for (const average of ['AVG(x)', 'AVG(x + 1)', 'AVG(DISTINCT x + n)'])
    expect(await answer(`SELECT ${average} FROM infinite`)).toBe(Number.POSITIVE_INFINITY);
  for (const average of ['AVG(x)', 'AVG(x + 1)'])
    expect(await answer(`SELECT ${average} FROM finite`)).toMatchObject({
      message: expect.stringContaining('AVG of FLOAT64 overflows'),
    });
  expect(await answer('SELECT AVG(x / 2) FROM finite')).toBe(5e307);
});

test.each(['x / NULLIF(n, 0)', 'SAFE_DIVIDE(x, n)'])(
  'an infinite value that %s leaves out does not count',
  async (value) => {
    expect(await answer(`SELECT SUM(${value}) FROM excluded`)).toMatchObject({
      message: expect.stringContaining('overflow'),
    });
  },
);

test.each([
  ['SUM(1e308)', 'overflow'],
  ['SUM(n * 1e308)', 'overflow'],
])('%s fails', async (sum, message) => {
  expect(await answer(`SELECT ${sum} FROM finite`)).toMatchObject({
    message: expect.stringContaining(message),
  });
});

test.each([
  ['SUM(n / 2)', 1.5],
  ['SUM(n * 1e300 / n)', 3e300],
])('%s is %d', async (sum, value) => {
  expect(await answer(`SELECT ${sum} FROM finite`)).toBe(value);
});
