import { afterEach, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';

let server: RedisServer | undefined;
let apps: FolderApp[] = [];
afterEach(async () => {
  for (const app of apps) await app.close();
  apps = [];
  await server?.close();
});

/** A gateway whose first run is of an earlier version of the data, like rows that a shared run has left for a refresh. */
async function open(url: string, first: string): Promise<() => Promise<string | null>> {
  let runs = 0;
  const engine = {
    source: 'test',
    dataVersionOf: () => '8',
    async run() {
      runs += 1;
      return { rows: ['{"n":1}'], truncated: false, dataVersion: runs === 1 ? first : '8' };
    },
    close: async () => {},
  };
  const files = { 'q.sql': queryText({ id: uuidOf(1), caching: '60s' }) };
  const app = await openFolderApp(files, { engine, env: { CACHE_URL: url } });
  apps.push(app);
  return async () => (await app.get('q')).headers.get('querygate-data-version');
}

test.skipIf(!hasRedis)('rows of an earlier version of the data are no hits, at any gateway', async () => {
  server = await redisServer();
  await server.start();
  const one = await open(server.url, '7');
  const other = await open(server.url, '8');
  const versions = [];
  for (const call of [one, other, one, other]) versions.push(await call());
  expect(versions).toEqual(['7', '8', '8', '8']);
});
