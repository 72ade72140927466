import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import { redis } from '../../../src/gateway/redis.ts';
import { apiKey } from '../../../src/keys/sources/api-key.ts';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import { makeQueryFolder } from '../../support/query-folder.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';
import { fileOf, tables } from './shared-queries.ts';

test.skipIf(!hasRedis)(
  'a gateway claims refreshes only from those with the same data and query',
  async () => {
    const server = await redisServer();
    await server.start();
    const closers = [() => server.close()];
    const newFolder = () => {
      const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
      writeFileSync(join(folder, 'events.ndjson'), '{"tenant":"a","id":1}\n');
      closers.unshift(async () => rmSync(folder, { recursive: true }));
      return folder;
    };
    /** @returns true if a gateway may refresh the query */
    const mayRefresh = async (dataDir: string, maxRows: number) => {
      const sql = 'SELECT id FROM events WHERE tenant = @project AND n > @least ORDER BY id';
      const text = fileOf('q', { sql, columns: { id: 'integer' }, maxRows });
      const queries = makeQueryFolder({ ...tables, 'q.sql': text });
      const plugin = sharedRuns();
      const gateway = await createGateway({
        queries: queries.folder,
        engine: duckdb({ isolate: false, dataDir, storeFile: ':memory:' }),
        keys: apiKey('a-key-for-tests-only'),
        reload: false,
        plugins: [
          plugin,
          {
            name: 'test',
            open: (host) => {
              [query] = host.catalog.queries;
            },
          },
        ],
        cache: { shared: redis({ url: server.url }) },
      });
      closers.unshift(async () => queries.close(), gateway.close);
      if (query === undefined) throw new Error('there is no query');
      const bound = bind(query, plainParameters({ project: 'a' }));
      return plugin.mayRefresh?.(bound, { replaces: undefined, tenants: () => ['a'] });
    };
    let query: Parameters<typeof bind>[0] | undefined;
    const [one, other] = [newFolder(), newFolder()];
    try {
      expect(await mayRefresh(one, 10)).toBe(true);
      expect(await mayRefresh(one, 10)).toBe(false);
      expect(await mayRefresh(other, 10)).toBe(true);
      expect(await mayRefresh(one, 20)).toBe(true);
    } finally {
      for (const close of closers) await close();
    }
  },
);
