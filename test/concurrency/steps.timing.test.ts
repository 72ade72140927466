import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import { runSteps } from '../../src/concurrency/loop-turns.ts';
import { Renderers } from '../../src/formats/renderers.ts';
import { bucketRowsOf } from '../../src/plugins/increments/bucket-rows.ts';
import { cellWriter } from '../../src/plugins/mcp/rows/cells.ts';
import { cutRows as rowsOfAnswer } from '../../src/plugins/mcp/rows/cut-rows.ts';
import { cutRows } from '../../src/plugins/shared-runs/cut-rows.ts';
import { diffRows } from '../../src/plugins/shadow/diff-rows.ts';
import { differingColumns } from '../../src/plugins/shadow/differing-columns.ts';
import { compareColumns, hashRows } from '../../src/plugins/shadow/hash-rows.ts';
import { column } from '../support/column.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { uuidOf } from '../support/query-folder.ts';
import { readEvents } from '../support/read-events.ts';
import { apiKey } from '../support/test-app.ts';

/** As many as a result may have. */
const count = 100_000;

/** A turn of the event loop begins no more work after 10 ms: with one more step of this length it ends within 50 ms. */
const maxStepMs = 25;

/** Garbage is collected in some step of each: of a step, the shortest time counts. */
const repetitions = 4;

/** The times of each step of a file, in ms of processor time: of one repetition each, if the step is part of all. */
const times = new Map<string, number[]>();

/** Iterators of each file in this repetition. */
let begun = new Map<string, number>();

/** Files that do so for catalogs and documents, whose size does not depend on rows; tests beside them bound their steps. */
const ofCatalogs: ReadonlySet<string> = new Set([
  'src/gateway/create-gateway.ts',
  'src/plugins/federation/extend-schema.ts',
  'src/http/graphql/visible-schemas.ts',
  'src/plugins/mcp/calls/list-tools.ts',
  'src/plugins/mcp/calls/search-calls.ts',
  'src/plugins/openapi/openapi.ts',
]);

/** The same generators, given to `LoopTurns` by a process or a source that this test does not have. */
const elsewhere: ReadonlySet<string> = new Set([
  'src/engines/duckdb/run/run-caller-sql.ts',
  'src/engines/quack/run-on-server.ts',
  'src/call/load-results.ts',
  'src/http/graphql/response/events-reply.ts',
  'src/plugins/mcp/resources/read-resource.ts',
  'src/plugins/shadow/compare-versions.ts',
  // A test beside them counts their steps.
  'src/results/redis/entry-codec.ts',
  'src/results/redis/publisher.ts',
  // Of small results; those of large ones are computed in a thread.
  'src/row-arguments/row-reader.ts',
]);

function measured<T>(file: string, steps: Iterator<void, T>): Iterator<void, T> {
  const iterator = (begun.get(file) ?? 0) + 1;
  begun.set(file, iterator);
  let count = 0;
  return {
    next() {
      const before = process.threadCpuUsage();
      const step = steps.next();
      const { user, system } = process.threadCpuUsage(before);
      count += 1;
      const key = `${file}, iterator ${iterator}, step ${count}`;
      times.set(key, [...(times.get(key) ?? []), (user + system) / 1_000]);
      return step;
    },
  };
}

/** The file that has called a method of `LoopTurns`. */
const callingFile = (): string =>
  new Error().stack
    ?.split('\n')
    .flatMap((line) => /(src\/[\w/.-]+\.ts)/.exec(line)?.[1] ?? [])
    .find((file) => !file.endsWith('loop-turns.ts')) ?? '';

const header = (id: number, more: string, end = '') => `/*---
id: ${uuidOf(id)}
description: Many rows.
max_rows: ${count}
caching: 60s
${more}parameters:
  k: { type: integer, default: 0, description: Makes other results. }
columns:
  id: { type: integer, required: true, description: A number. }
  time: { type: timestamp, description: A time. }
  text: { type: string, description: A text. }
  share: { type: float, description: A number. }
  tags: { type: string, repeated: true, description: Texts. }
---*/
SELECT id, TIMESTAMP_SECONDS(id) AS time, CONCAT('row "', id, '" of many') AS text, (id + CAST(@k AS INT64)) / 7 AS share, ['a', CAST(id AS STRING)] AS tags
FROM UNNEST(GENERATE_ARRAY(1, ${count})) AS id${end}
`;

const ticks = `/*---
id: ${uuidOf(3)}
description: Rows of which some change each second.
max_rows: ${count}
caching: 60s
live: 1s
key: [id]
columns:
  id: { type: integer, required: true, description: A number. }
  n: { type: integer, description: A number that changes. }
---*/
SELECT id, IF(MOD(id, 50) = 0, UNIX_SECONDS(CURRENT_TIMESTAMP()), 0) AS n FROM UNNEST(GENERATE_ARRAY(1, ${count})) AS id
`;

let app: FolderApp;

beforeAll(async () => {
  const { run, compute } = LoopTurns.prototype;
  vi.spyOn(LoopTurns.prototype, 'run').mockImplementation(function (this: LoopTurns, owner, steps) {
    return run.call(this, owner, measured(callingFile(), steps)) as never;
  });
  vi.spyOn(LoopTurns.prototype, 'compute').mockImplementation(function (this: LoopTurns, owner, steps) {
    return compute.call(this, owner, measured(callingFile(), steps)) as never;
  });
  app = await openFolderApp(
    {
      'many.sql': header(
        1,
        'row_arguments: all\nprometheus: { labels: [text], metrics: { share: { column: share } } }\n',
      ),
      'paged.sql': header(2, 'page: { by: [id] }\n', '\nORDER BY id'),
      'ticks.sql': ticks,
    },
    { env: { MCP: 'on', CACHE_MEMORY_LIMIT: '2GB' } },
  );
});
afterAll(async () => {
  await app.close();
  vi.restoreAllMocks();
});

/** Another result each time. */
let k = 0;
const next = () => {
  k += 1;
  return k;
};

const rest = async (address: string, headers: Record<string, string> = {}) => {
  const response = await app.get(address, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, body.toString('utf8', 0, 300)).toBe(200);
};
const send = async (path: string, headers: Record<string, string>, body: unknown) => {
  const all = { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers };
  const init = { method: 'POST', headers: all, body: JSON.stringify(body) };
  const response = await app.app.fetch(new Request(`http://gateway.test${path}`, init));
  expect(response.status).toBe(200);
  return response;
};
const graphql = async (query: string, accept = 'application/json') => {
  const text = await (await send('/graphql', { accept }, { query })).text();
  expect(text.slice(0, 300)).not.toContain('errors');
};

const works: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a result', () => rest(`many?k=${next()}`)],
  ...new Renderers().all.map(({ names }): readonly [string, () => Promise<unknown>] => [
    `a result as ${names[0]}`,
    () => rest(`many.${names[0]}?k=${next()}`),
  ]),
  ['row arguments', () => rest(`many?k=${next()}&text=like.*7*8*&order=share.desc&limit=5000`)],
  [
    'aggregates',
    () => graphql(`{ many(k: ${next()}) { aggregates { count sum { share } max { share } } } }`),
  ],
  ['a page', () => rest(`paged?k=${next()}&limit=1000`)],
  ['GraphQL', () => graphql(`{ many(k: ${next()}) { rowCount rows { id time text tags } } }`)],
  [
    'GraphQL with where',
    () =>
      graphql(
        `{ endpoints { name } many(k: ${next()}) { rows(where: { text: { like: "%7%" } }, first: 1000) { id tags } } }`,
      ),
  ],
  [
    'an answer to an agent',
    async () => {
      const params = { name: 'many', arguments: { k: next(), limit: 90_000 } };
      const accept = { accept: 'application/json, text/event-stream', authorization: `Bearer ${apiKey}` };
      const response = await send('/mcp', accept, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      expect(await response.text()).toContain('rows');
    },
  ],
  [
    'rows of an answer to an agent that are as long as it may be',
    async () => {
      const listOf = (value: (at: number) => unknown, length: number) =>
        JSON.stringify({ list: Array.from({ length }, (_, at) => value(at)) });
      for (const [type, row] of [
        ['timestamp', listOf((at) => at, 30_000)],
        ['timestamp', listOf((at) => at, 400_000)],
        ['integer', listOf(() => 1, 480_000)],
        ['string', listOf(() => '\u0001', 100_000)],
      ] as const) {
        const identity = Buffer.from(`{"result":[${row}]}`);
        const writers = [cellWriter({ name: 'list', type, repeated: true })];
        const limits = { maxRows: 1, maxBytes: 1_000_000 };
        const file = 'src/plugins/mcp/rows/render-result.ts';
        runSteps(measured(file, rowsOfAnswer({ identity }, writers, limits)));
      }
    },
  ],
  [
    'changed rows',
    async () => {
      const headers = { accept: 'text/event-stream;delta=rows' };
      const events = readEvents(await app.get('ticks', { headers }));
      let event = await events.next();
      while (event?.event !== 'patch') event = await events.next();
      await events.cancel();
    },
  ],
  [
    'two results of versions that are compared',
    async () => {
      const columns = [column('id', 'integer'), column('text', 'string'), column('mean', 'float')];
      const compared = compareColumns(columns, columns);
      const rowsOf = (by: number) =>
        Array.from({ length: count }, (_, id) => JSON.stringify({ id, text: `row ${id}`, mean: id / by }));
      const run = <T>(steps: Iterator<void, T>) =>
        runSteps(measured('src/plugins/shadow/compare-versions.ts', steps));
      const [a, b] = [rowsOf(7), rowsOf(9)].map((rows) => run(hashRows(rows, count, false, compared)));
      if (a === undefined || b === undefined) throw new Error('no rows');
      const { onlyA, onlyB } = run(diffRows(a, b));
      run(differingColumns(a, onlyA, b, onlyB));
    },
  ],
  [
    'a result of a shared run, for a hundred tenants',
    async () => {
      const tenants = Array.from({ length: 100 }, (_, at) => `tenant ${at}`);
      const texts = Array.from({ length: count }, (_, id) =>
        JSON.stringify({ tenant: tenants[id % 100], rank: Math.floor(id / 100) + 1, id, text: `row ${id}` }),
      );
      const form = {
        ...{ sql: '', parameter: 'tenant', extraction: undefined, tenant: 'tenant', rank: 'rank' },
        ...{ list: 'list', limit: undefined, offset: undefined },
      };
      const bounds = { offset: 0, limit: count, maxRows: count };
      const cut = cutRows({ rows: texts, truncated: false }, form, tenants, bounds);
      expect(runSteps(measured('src/plugins/shared-runs/run-for-tenants.ts', cut)).size).toBe(100);
    },
  ],
  [
    'the buckets of an earlier result',
    async () => {
      const texts = Array.from({ length: count }, (_, id) => JSON.stringify({ id, time: id * 1_000_000 }));
      const document = Buffer.from(`{"result":[${texts.join(',')}]}`);
      const buckets = bucketRowsOf(document, { name: 'time', type: 'timestamp' });
      expect(runSteps(measured('src/plugins/increments/increments.ts', buckets))).toHaveLength(count);
    },
  ],
];

test.each(works)(`each step is short for ${count} rows: %s`, async (_, work) => {
  times.clear();
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    begun = new Map();
    await work();
    for (const file of begun.keys()) seen.add(file);
  }
  // A stream has as many refreshes as the machine has time for: those that are not in each repetition are as the others.
  const ofAll = [...times].filter(([, each]) => each.length === repetitions);
  expect(ofAll.length).toBeGreaterThan(0);
  expect(ofAll.filter(([, each]) => Math.min(...each) > maxStepMs)).toEqual([]);
});

const seen = new Set<string>();

test('all that gives steps to LoopTurns is measured', () => {
  const users = globSync('src/**/*.ts').filter((file) =>
    /turns\)?\.(?:run|compute)\(/i.test(readFileSync(file, 'utf8')),
  );
  const known = new Set([...seen, ...ofCatalogs, ...elsewhere, 'src/concurrency/loop-turns.ts']);
  expect(users.filter((file) => !known.has(file))).toEqual([]);
});
