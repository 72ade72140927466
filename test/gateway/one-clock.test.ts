import { expect, test } from 'vitest';
import { redis } from '../../src/gateway/redis.ts';
import { eventually } from '../support/eventually.ts';
import { openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/queries.ts';
import { hasRedis, redisServer } from '../support/redis-server.ts';

test.skipIf(!hasRedis).each([300_000, -300_000])(
  'a gateway whose clock is wrong by %i ms runs and binds queries at the time of Redis',
  async (byMs) => {
    const server = await redisServer();
    await server.start();
    const sql = 'SELECT UNIX_MILLIS(CURRENT_TIMESTAMP()) AS run_at, UNIX_MILLIS(@at) AS bound_at';
    const text = queryText({
      ...{ name: 'q', sql, caching: ['caching: disabled'] },
      columns: { run_at: 'integer', bound_at: 'integer' },
      parameters: { at: '{ type: timestamp, description: A time., default: 0h }' },
    });
    const shared = redis({ url: server.url, secret: 'a-secret-of-thirty-two-characters' });
    const { get, close } = await openFolderApp(
      { 'q.sql': text },
      { now: () => new Date(Date.now() + byMs), options: { cache: { shared } } },
    );
    try {
      await eventually(async () => {
        const { result } = (await (await get('q')).json()) as { result: Record<string, number>[] };
        const { run_at = 0, bound_at = 0 } = result[0] ?? {};
        expect(Math.abs(run_at - Date.now())).toBeLessThan(60_000);
        // Relative times are whole minutes.
        expect(Math.abs(bound_at - Date.now())).toBeLessThan(90_000);
      });
    } finally {
      await close();
      await server.close();
    }
  },
);
