import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { openFolderApp } from '../support/folder-app.ts';
import { serveGateway } from '../support/live-gateway.ts';
import { queryText } from '../support/queries.ts';
import { apiKey } from '../support/test-app.ts';
import { skipsHttpfs } from './recipes.ts';

const ids = (name: string, caching: readonly string[]) =>
  queryText({ name, caching, columns: { id: 'string' }, sql: 'select generate_uuid() as id' });

test.skipIf(skipsHttpfs)(
  'read_json of DuckDB reads rows that are others in each run, again and again',
  async () => {
    const folder = await openFolderApp({
      'fresh.sql': ids('fresh', ['caching: disabled']),
      'short.sql': ids('short', ['caching: 1s']),
      'kept.sql': ids('kept', ['caching: 900s']),
    });
    const served = await serveGateway(folder.app);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      await connection.run('LOAD httpfs');
      await connection.run(
        `CREATE SECRET (TYPE http, EXTRA_HTTP_HEADERS MAP {'X-API-KEY': '${apiKey}'}, SCOPE 'http://127.0.0.1')`,
      );
      const read = async (name: string) => {
        const url = `http://127.0.0.1:${served.port}/api/endpoints/query/${name}`;
        const rows = await connection.runAndReadAll(
          `select unnest(result).id as id from read_json('${url}')`,
        );
        return String(rows.getRows()[0]?.[0]);
      };
      for (const [name, different] of [
        ['fresh', 12],
        ['kept', 1],
      ] as const) {
        const seen = new Set<string>();
        for (let count = 0; count < 12; count += 1) seen.add(await read(name));
        expect(seen.size, name).toBe(different);
      }
      for (let count = 0; count < 12; count += 1) expect(await read('short')).toMatch(/^[0-9a-f-]{36}$/);
    } finally {
      connection.closeSync();
      instance.closeSync();
      await served.close();
      await folder.close();
    }
  },
);
