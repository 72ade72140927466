import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../../src/errors.ts';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';
import type { QuerySource, QueryTexts } from '../../../src/gateway/reload/query-source.ts';
import { apiKey } from '../../../src/keys/sources/api-key.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { eventually } from '../../support/eventually.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';

const key = 'a-key-for-tests-only';

let texts: Map<string, string>;
let lines: { msg: string; err?: { message: string } }[];

beforeEach(() => {
  texts = new Map([['q.sql', queryText({ id: uuidOf(1), caching: 'disabled' })]]);
  lines = [];
});

async function open(queries: QuerySource): Promise<Gateway> {
  const gateway = await createGateway({
    queries,
    engine: duckdb({ storeFile: ':memory:', threads: 1, isolate: false }),
    keys: apiKey(key),
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  onTestFinished(() => gateway.close().catch(() => {}));
  return gateway;
}

async function rows(gateway: Gateway, name = 'q'): Promise<unknown> {
  const request = new Request(`http://gateway.test/api/endpoints/query/${name}`, {
    headers: { 'x-api-key': key },
  });
  const response = await gateway.fetch(request);
  return response.status === 200 ? ((await response.json()) as { result: unknown }).result : response.status;
}

const messages = () => lines.map(({ msg }) => msg);

describe('queries as an object', () => {
  test.each<[string, () => QueryTexts | Promise<QueryTexts>]>([
    ['a map', () => texts],
    ['an object', () => Object.fromEntries(texts)],
    ['a promise', async () => texts],
  ])('are read as %s', async (_, read) => {
    expect(await rows(await open({ read }))).toEqual([{ n: 1 }]);
  });

  test('with schemas of tables', async () => {
    texts.set('tables/t.json', '[{ "name": "a", "type": "STRING" }]');
    texts.set('count.sql', queryText({ id: uuidOf(2), sql: 'SELECT COUNT(*) AS n FROM t' }));
    expect(await rows(await open({ read: () => texts }), 'count')).toEqual([{ n: 0 }]);
  });

  test.each<[string, () => QueryTexts | Promise<QueryTexts>]>([
    ['there are none', () => new Map()],
    ['one is wrong', () => new Map([['q.sql', 'SELECT 1']])],
  ])('end the start if %s', async (_, read) => {
    await expect(open({ read })).rejects.toThrow(StartError);
  });

  test('end the start if reading them fails, or gives something else', async () => {
    const read = () => Promise.reject(new Error('no database'));
    await expect(open({ read })).rejects.toThrow('no database');
    const wrong = { '../q.sql': '', 'q.sql': 5 as never };
    await expect(open({ read: () => wrong })).rejects.toMatchObject({
      name: 'StartError',
      problems: ['"../q.sql"', '"q.sql"'].map((name) => ({ message: expect.stringContaining(name) })),
    });
  });

  test('are read once after changes that follow each other, and when reload is called', async () => {
    let reads = 0;
    let onChange = () => {};
    const gateway = await open({
      read: () => {
        reads += 1;
        return texts;
      },
      watch(listener) {
        onChange = listener;
        return () => {};
      },
    });
    texts.set('q.sql', queryText({ id: uuidOf(1), sql: 'SELECT 2 AS n', caching: 'disabled' }));
    for (let at = 0; at < 5; at += 1) onChange();
    await eventually(async () => expect(await rows(gateway)).toEqual([{ n: 2 }]));
    expect(reads).toBe(2);
    texts.set('r.sql', queryText({ id: uuidOf(2) }));
    gateway.reload();
    await eventually(async () => expect(await rows(gateway, 'r')).toEqual([{ n: 1 }]));
    expect(gateway.catalog.queries.map(({ name }) => name)).toEqual(['q', 'r']);
  });

  test('stay as they are while one is broken, or none can be read', async () => {
    let fails = false;
    let onChange = () => {};
    const gateway = await open({
      read: () => {
        if (fails) throw new Error('no database');
        return texts;
      },
      watch(listener) {
        onChange = listener;
        return () => {};
      },
    });
    texts.set('q.sql', 'SELECT 1');
    onChange();
    await eventually(() => expect(JSON.stringify(lines)).toContain('q.sql'));
    fails = true;
    onChange();
    await eventually(() =>
      expect(messages()).toContain(
        'the folder of saved queries cannot be used: all saved queries stay as they are',
      ),
    );
    expect(await rows(gateway)).toEqual([{ n: 1 }]);
  });
});

describe('watching queries', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', note);
  });
  afterEach(async () => {
    await nextTurn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test.each<[string, () => never | Promise<never>]>([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('that %s is logged, and the queries are served', async (_, watch) => {
    const gateway = await open({ read: () => texts, watch });
    await nextTurn();
    expect(lines.find(({ err }) => err?.message === 'no notifications')?.msg).toContain('it is tried again');
    expect(await rows(gateway)).toEqual([{ n: 1 }]);
    await gateway.close();
  });

  test('ends before close resolves, and once', async () => {
    const ended: string[] = [];
    const end = async () => {
      await sleep(20);
      ended.push('end');
    };
    const gateway = await open({ read: () => texts, watch: async () => end });
    await Promise.all([gateway.close(), gateway.close()]);
    expect(ended).toEqual(['end']);
  });

  test('that begins after close ends at once; one that never begins keeps nothing open', async () => {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    const gateway = await open({ read: () => texts, watch: () => promise });
    await gateway.close();
    const ended = new Promise<void>((done) => resolve(done));
    await ended;
  });

  test('that cannot be ended closes all else, and rejects', async () => {
    const gateway = await open({ read: () => texts, watch: () => fail });
    await expect(gateway.close()).rejects.toThrow('no notifications');
    expect(await rows(gateway)).not.toEqual([{ n: 1 }]);
  });
});

const fail = () => {
  throw new Error('no notifications');
};
