import { DuckDBInstance } from '@duckdb/node-api';
import { openSession } from '@querygate/bigquery-sql';
import { expect, test } from 'vitest';

const revenue = `
  SELECT DATE_TRUNC(day, MONTH) AS month, SUM(amount) AS revenue
  FROM orders GROUP BY month`;

test('revenue counts paid orders only', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE orders AS FROM (VALUES
    (DATE '2026-01-10', 20::BIGINT, 'paid'), ('2026-01-31', 5, 'paid'), ('2026-01-31', 9, 'open')
  ) AS t(day, amount, status)`);
  const outcome = await (await openSession(connection)).run(revenue);
  expect(outcome).toMatchObject({ rows: [['2026-01-01', '25']] });
});
