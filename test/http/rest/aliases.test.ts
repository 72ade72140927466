import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { queryText } from '../../support/queries.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const path = '/api/endpoints/query';
const oldId = '9dd9a6f6-8e9b-4fa4-b682-4f2f5cd99da3';
const sql = "select 1 as x where @tenant = '' and @unit = '' and @since = ''";

describe('aliases, other spellings of enum values and of timestamps', () => {
  const bound: BoundQuery[] = [];
  const lines: string[] = [];
  const engine = fakeEngine({
    clock: systemClock,
    queryMs: 1,
    rows: (query) => {
      bound.push(query);
      return ['{"x":1}'];
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  let keys: KeyFile;
  let app: TestApp;
  beforeAll(async () => {
    const query = (name: string, aliases: readonly string[]) =>
      queryText({
        name,
        aliases,
        caching: ['caching: 900s'],
        parameters: {
          tenant: '{ type: string, tenant: true, description: The tenant. }',
          unit: '{ type: enum, enum: Unit, default: s, description: The unit., values: { s: { name: SECOND, also: [sec, 1s], description: A second. }, m: { name: MINUTE, description: A minute. } } }',
          since: '{ type: timestamp, description: The start. }',
        },
        columns: { x: 'integer' },
        sql,
      });
    writeFileSync(join(folder, 'a.one.sql'), query('one', ['old.One', oldId]));
    writeFileSync(join(folder, 'a.two.sql'), query('two', []));
    keys = writeKeyFile({
      all: {},
      byName: { endpoints: ['a.one'] },
      byAlias: { endpoints: ['old.One'] },
      byOldId: { endpoints: [oldId.toUpperCase()] },
      other: { endpoints: ['a.two'] },
      bound: { tenants: ['t'] },
    });
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    app = await openTestApp(
      {},
      { QUERIES_DIR: folder, API_KEYS_FILE: keys.path },
      { engine, clock: systemClock.now, log },
    );
  });
  afterAll(async () => {
    await app.close();
    keys.remove();
    rmSync(folder, { recursive: true });
  });

  const get = (url: string, key = 'all') =>
    app.fetch(`${path}/${url}`, { headers: { 'x-api-key': keys.keyOf(key) } });
  const graphql = async (query: string) => {
    const body = JSON.stringify({ query });
    const headers = { 'x-api-key': keys.keyOf('all'), 'content-type': 'application/json' };
    return (await app.fetch('/graphql', { method: 'POST', headers, body })).json() as Promise<unknown>;
  };
  const cacheOf = async (pending: Promise<Response>) => {
    const response = await pending;
    expect(response.status).toBe(200);
    return response.headers.get('cache-status')?.split(';')[1]?.trim();
  };

  test('an alias leads to the same cache entry, and the log has the name', async () => {
    expect(await cacheOf(get('a.one?tenant=same'))).toBe('fwd=miss');
    for (const address of ['old.One', oldId, oldId.toUpperCase()]) {
      expect(await cacheOf(get(`${address}?tenant=same`)), address).toBe('hit');
    }
    expect(lines.join('')).not.toContain('old.One');
    const paths = lines
      .map((line) => JSON.parse(line) as { path?: string })
      .flatMap(({ path }) => path ?? []);
    expect(paths.slice(0, 3)).toEqual(Array(3).fill(`${path}/a.one`));
  });

  test('an alias is compared exactly, and adds no field to GraphQL', async () => {
    for (const address of ['old.one', 'OLD.ONE', 'old.One/', 'old.On', '__proto__']) {
      expect((await get(`${address}?tenant=t`)).status, address).toBe(404);
    }
    expect(
      await graphql(
        '{ endpoint(name: "old.One") { name aliases } __type(name: "Query") { fields { name } } }',
      ),
    ).toEqual({
      data: {
        endpoint: { name: 'a.one', aliases: ['old.One', oldId] },
        __type: { fields: ['aOne', 'aTwo', 'endpoints', 'endpoint'].map((name) => ({ name })) },
      },
    });
  });

  test('a key that permits an endpoint permits it by every address', async () => {
    for (const key of ['byName', 'byAlias', 'byOldId']) {
      for (const address of ['a.one', 'old.One', oldId]) {
        expect((await get(`${address}?tenant=t`, key)).status, `${key} ${address}`).toBe(200);
      }
      expect((await get('a.two?tenant=t', key)).status).toBe(403);
    }
    for (const address of ['a.one', 'old.One', oldId]) {
      expect((await get(`${address}?tenant=t`, 'other')).status).toBe(403);
    }
  });

  test('a key of a tenant is refused other tenants by every address', async () => {
    for (const address of ['a.one', 'old.One', oldId]) {
      expect((await get(`${address}?tenant=t`, 'bound')).status).toBe(200);
      expect((await get(`${address}?tenant=u`, 'bound')).status).toBe(403);
    }
  });

  test('all spellings of a value are one entry; messages and GraphQL have the value', async () => {
    expect(await cacheOf(get('a.one?tenant=spelled&unit=sec'))).toBe('fwd=miss');
    expect(bound.at(-1)?.parameters.unit).toBe('s');
    for (const unit of ['s', '1s', 'sec', '']) {
      expect(await cacheOf(get(`a.one?tenant=spelled&unit=${unit}`)), unit).toBe('hit');
    }
    expect(await graphql('{ aOne(tenant: "spelled", unit: SECOND) { cacheStatus } }')).toEqual({
      data: { aOne: { cacheStatus: 'HIT' } },
    });
    const refused = (await (await get('a.one?tenant=t&unit=SEC')).json()) as { error: { message: string } };
    expect(refused.error.message).toBe('unit: got "SEC"; one of s, m');
    expect(await graphql('{ aOne(tenant: "t", unit: sec) { cacheStatus } }')).toMatchObject({
      errors: [{ message: expect.stringContaining('Value "sec" does not exist in "Unit" enum') }],
    });
  });

  test.each([
    ['2026-03-10 12:00:00'],
    ['2026-03-10+12:00'],
    ['2026-03-10%2013:00:00.000%2B01'],
    ['2026-03-10T12:00:00Z'],
    ['2026-03-10 12:00:00z'],
  ])('a timestamp with a space is read, and its cache key is canonical: %s', async (since) => {
    const tenant = 'timed';
    await get(`a.one?tenant=${tenant}&since=2026-03-10T12:00:00Z`);
    for (const key of ['all', 'byName']) {
      expect(await cacheOf(get(`a.one?tenant=${tenant}&since=${since.replaceAll(' ', '%20')}`, key))).toBe(
        'hit',
      );
    }
    const iso = decodeURIComponent(since.replaceAll('+', ' '));
    expect(await graphql(`{ aOne(tenant: "${tenant}", since: "${iso}") { cacheStatus } }`)).toEqual({
      data: { aOne: { cacheStatus: 'HIT' } },
    });
  });

  test.each([
    '2026-03-10  12:00',
    '2026-03-10 ',
    ' 2026-03-10',
    '2026-03-10\t12:00',
    '2026-03-10 25:00',
    '2026-03-10_12:00',
  ])('a text that is like one is refused: %j', async (since) => {
    expect((await get(`a.one?tenant=t&since=${encodeURIComponent(since)}`)).status).toBe(400);
  });

  test('a lost plus is recognized with a space too', async () => {
    for (const since of ['2026-03-10 12:00:00+01:00', '2026-03-10T12:00:00+01:00']) {
      const refused = (await (await get(`a.one?tenant=t&since=${since}`)).json()) as {
        error: { message: string };
      };
      expect(refused.error.message).toMatch(/in a URL, encode \+ as %2B$/);
    }
  });
});
