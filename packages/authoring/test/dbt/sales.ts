import { openTestApp } from '../../../../test/support/test-app.ts';

/** A saved query that reads a model of the project. */
export const salesQuery = `/*---
id: 11111111-2222-4333-8444-555555555555
description: "Sales of each day, {{ 'as' }} {% the project %} has them: {# daily_sales"
max_rows: 100
caching: disabled
tags: [on, sales]
columns:
  day: { type: date, description: The day. }
  orders: { type: integer, required: true, description: How many orders. }
  amount: { type: numeric, description: For how much. }
---*/
SELECT day, orders, amount FROM analytics.daily_sales ORDER BY day
`;

const order = (ordered_at: string, amount: string) => ({
  ...{ id: 1, customer: 'ada', ordered_at, amount },
  address: { city: 'Turin' },
});

const orders = [
  order('2025-12-31T23:59:59Z', '1'),
  order('2026-01-01T00:00:00Z', '2.5'),
  order('2026-01-01T12:00:00Z', '0.25'),
  order('2026-01-02T12:00:00Z', '7'),
];

/** The rows of `sales` in a queries folder, over orders in files of DuckDB. */
export async function salesRows(queriesDir: string): Promise<readonly object[]> {
  const app = await openTestApp({ raw_orders: orders }, { QUERIES_DIR: queriesDir });
  try {
    return await app.rows('sales');
  } finally {
    await app.close();
  }
}

/** Those that the project's SQL gives. */
export const expectedSales = [
  { day: '2026-01-01', orders: 2, amount: '2.75' },
  { day: '2026-01-02', orders: 1, amount: '7' },
];
