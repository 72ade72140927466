import { describe, expect, test } from 'vitest';
import { type DemoGateway, project } from '../demo-gateway.ts';
import { type Cell, type ColumnType, type ForeignTable, selectAll } from './logflare-wrapper.ts';

/** Foreign tables over the three saved queries. */
export function testWrapper(gateway: () => DemoGateway, isCompat: boolean): void {
  const table = (endpoint: string, columns: Record<string, ColumnType>): ForeignTable => ({
    url: `${gateway().origin}/api/endpoints/query`,
    key: gateway().key,
    endpoint,
    columns,
  });
  const are = (rows: readonly Record<string, Cell>[], column: string, type: string) =>
    rows.every((row) => row[column] === null || typeof row[column] === type);

  describe('the Postgres wrapper', () => {
    test('functions.invocation-stats: integers and floats', async () => {
      const columns = {
        timestamp: 'bigint',
        min_execution_time: 'double precision',
        max_execution_time: 'real',
        avg_execution_time: 'numeric',
        p95_execution_time: 'double precision',
        p99_execution_time: 'double precision',
        count: 'bigint',
        error_count: 'integer',
        _param_project: 'text',
        _param_interval: 'text',
        _result: 'text',
      } as const;
      const rows = await selectAll(table('functions.invocation-stats', columns), {
        project,
        interval: '1hr',
      });
      expect(rows.length).toBeGreaterThan(10);
      for (const column of ['timestamp', 'avg_execution_time', 'count', 'error_count']) {
        expect(are(rows, column, 'number')).toBe(true);
      }
      expect(rows[0]?._param_interval).toBe('1hr');
      expect(JSON.parse(String(rows[0]?._result))).toHaveProperty('p95_execution_time');
    });

    test('usage.api-counts: the bucket as timestamp, by name and by UUID', async () => {
      const columns = {
        timestamp: 'timestamp',
        total_rest_requests: 'bigint',
        total_storage_requests: 'integer',
        total_auth_requests: 'smallint',
        total_realtime_requests: 'numeric',
      } as const;
      const parameters = { project, interval: 'daily' };
      const rows = await selectAll(table('usage.api-counts', columns), parameters);
      expect(rows.length).toBeGreaterThan(6);
      const byId = table('c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4', columns);
      expect(await selectAll(byId, parameters)).toEqual(rows);
    });

    test('logs.all: text, microseconds and the whole row; a column that no row has is NULL', async () => {
      const columns = {
        id: 'text',
        timestamp: 'bigint',
        event_message: 'text',
        identifier: 'text',
        _result: 'text',
      } as const;
      const rows = await selectAll(table('logs.all', columns), { project });
      expect(rows).toHaveLength(100);
      expect(are(rows, 'event_message', 'string')).toBe(true);
      expect(rows.every(({ identifier }) => identifier === null)).toBe(true);
      const nested = JSON.parse(String(rows.find((row) => String(row._result).includes('request'))?._result));
      expect(nested.metadata[0].request[0].method).toMatch(/^[A-Z]+$/);
    });

    test('a timestamp column that is declared as timestamp does not match', async () => {
      const wrong = table('logs.all', { timestamp: 'timestamp' });
      await expect(selectAll(wrong, { project })).rejects.toThrow(`column 'timestamp' data type not match`);
    });

    test("a time in PostgreSQL's own form, with a space, is read as UTC", async () => {
      const { end } = gateway().lastHours(1);
      const text = end.toISOString().replace('T', ' ').replace('Z', '');
      const columns = { timestamp: 'bigint', _param_iso_timestamp_end: 'text' } as const;
      for (const zone of ['', '+00']) {
        const parameters = { project, iso_timestamp_end: `${text}${zone}` };
        const rows = await selectAll(table('logs.all', columns), parameters);
        expect(rows).toHaveLength(100);
        expect(Number(rows[0]?.timestamp)).toBeLessThanOrEqual(end.getTime() * 1000);
      }
    });

    // As with Logflare: what a key may not read and what does not exist are one, and a missing parameter gives no rows.
    test(`an unknown endpoint is ${isCompat ? 'an error' : 'an empty table'}`, async () => {
      const rows = selectAll(table('no.such', { id: 'text' }));
      if (isCompat) await expect(rows).rejects.toThrow('HTTP status 401');
      else expect(await rows).toEqual([]);
    });

    test('a wrong key is an error, and so is a missing parameter, or there are no rows', async () => {
      const logs = table('logs.all', { id: 'text' });
      await expect(selectAll({ ...logs, key: 'wrong' }, { project })).rejects.toThrow('HTTP status 401');
      if (isCompat) expect(await selectAll(logs)).toEqual([]);
      else await expect(selectAll(logs)).rejects.toThrow('HTTP status 400');
    });
  });
}
