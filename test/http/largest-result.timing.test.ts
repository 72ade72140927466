import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { medianOf } from '../support/median.ts';
import { queryText } from '../support/queries.ts';
import { makeQueryFolder, type QueryFolder } from '../support/query-folder.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';
import { longestBlockMs } from './event-loop/block-meter.ts';
import { get, postOperation } from './event-loop/hostile-table.ts';

const maxBlockMs = 50;

const row = JSON.stringify({ id: 'a'.repeat(36), n: 12_345, text: 'x'.repeat(1_950) });

/** 64 MB, the most that a response of GraphQL has, with the names of aliases. */
const rows: readonly string[] = Array(31_000).fill(row);

let queries: QueryFolder;
let served: ServedApp;

beforeAll(async () => {
  queries = makeQueryFolder({
    'large.sql': queryText({
      name: 'large',
      maxRows: 100_000,
      columns: { id: 'string', n: 'integer', text: 'string' },
      caching: ['caching: 600s'],
      sql: 'select 1 as id',
    }),
  });
  served = await serveTestApp({ QUERIES_DIR: queries.folder, CACHE_MEMORY_LIMIT: '1GB' }, 1, {
    rows: () => rows,
  });
});
afterAll(async () => {
  await served.close();
  queries.close();
});

/** Sends a request, whose answer this thread only counts. @returns the bytes of it */
function countBytes(request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback: (count: number) => {
        bytes += count;
        return true;
      },
    };
    const socket = connect({ port: served.port, host: '127.0.0.1', onread });
    socket.once('error', reject).once('close', () => resolve(bytes));
    socket.write(request);
  });
}

let nonce = 0;
const selection = (fields: string) => postOperation(`query Q${nonce++} { large { rows { ${fields} } } }`);
const rest = (...headers: readonly string[]) => get('/api/endpoints/query/large', ...headers);

// Each is sent some times: the first one runs the query or makes the cells, the others are new selections, or hits.
test.each([
  ['as REST, of a run of its own each time', () => rest('Cache-Control: no-cache'), 60_000_000],
  ['as REST', () => rest(), 60_000_000],
  ['as a selection of GraphQL that is new each time, through Yoga', () => selection('id n text'), 60_000_000],
  ['the same with an alias', () => selection('id n other: text'), 60_000_000],
  ['as GraphQL that is repeated', () => postOperation('{ large { rows { id n text } } }'), 60_000_000],
  ['as CSV', () => get('/api/endpoints/query/large.csv'), 60_000_000],
  ['as REST with a coding', () => rest('Accept-Encoding: zstd'), 100],
])('no turn of the event loop is long while 64 MB are sent %s', async (_, build, leastBytes) => {
  const blockMs = await medianOf(() =>
    longestBlockMs(async () => expect(await countBytes(build())).toBeGreaterThan(leastBytes)),
  );
  expect(blockMs).toBeLessThan(maxBlockMs);
});
