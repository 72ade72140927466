import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { makeQueryFolder, type QueryFolder, uuidOf } from '../../support/query-folder.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const saved = (id: number, sql: string, header = '') => `/*---
id: ${uuidOf(id)}
description: a query of the tests
max_rows: 100
caching: 3600s
${header}columns:
  x: { type: string, description: a text }
---*/
${sql}
`;

describe('SESSION_USER is the id of the key', () => {
  let queries: QueryFolder;
  let keys: KeyFile;
  let app: TestApp;
  beforeAll(async () => {
    queries = makeQueryFolder({
      'who.sql': saved(1, 'select session_user() as x'),
      'pure.sql': saved(2, "select lower(concat(Session_User, '!')) as x"),
      'same.sql': saved(3, "select 'same' as x"),
      'over.sql': saved(
        4,
        'with a as (select session_user() as x) select x from a',
        'query_sandboxing: enabled\n',
      ),
      'pushed.sql': saved(
        5,
        "select concat(session_user(), '-', cast(n as string)) as x from unnest(generate_array(1, 150)) as n",
        'row_arguments: all\npush: true\n',
      ),
    });
    keys = writeKeyFile({ one: {}, other: {}, empty: {} });
    app = await openTestApp({}, { QUERIES_DIR: queries.folder, API_KEYS_FILE: keys.path });
  });
  afterAll(async () => {
    await app.close();
    keys.remove();
    queries.close();
  });

  const get = (key: string, path: string, headers: Record<string, string> = {}) =>
    app.fetch(`/api/endpoints/query/${path}`, {
      headers: { authorization: `Bearer ${keys.keyOf(key)}`, ...headers },
    });
  const valueFor = async (key: string, path: string) => {
    const { result } = (await (await get(key, path)).json()) as { result: readonly { x: string }[] };
    return result[0]?.x;
  };

  test('and a cached answer is for the key that it was computed for', async () => {
    for (const key of ['one', 'other', 'one', 'other']) {
      expect(await valueFor(key, 'who')).toBe(keys.idOf(key));
      expect(await valueFor(key, 'who.csv').catch(() => 'csv')).toBe('csv');
      expect(await (await get(key, 'who.csv')).text()).toContain(keys.idOf(key));
      expect(await valueFor(key, 'pure')).toBe(`${keys.idOf(key)}!`.toLowerCase());
    }
    expect((await get('one', 'who')).headers.get('cache-status')).toContain('hit');
  });

  test('and the tag of an answer is no tag of the answer for another key', async () => {
    const tag = (await get('one', 'who')).headers.get('etag') ?? '';
    expect((await get('one', 'who', { 'if-none-match': tag })).status).toBe(304);
    expect((await get('other', 'who', { 'if-none-match': tag })).status).toBe(200);
  });

  test('by GraphQL too', async () => {
    for (const key of ['one', 'other', 'one']) {
      const response = await app.fetch('/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.keyOf(key)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ who { rows { x } } same { rows { x } } }' }),
      });
      const { data } = (await response.json()) as { data: { who: { rows: readonly { x: string }[] } } };
      expect(data.who.rows).toEqual([{ x: keys.idOf(key) }]);
    }
  });

  test('and queries without it share their results', async () => {
    await get('one', 'same');
    const { runs } = app.counters;
    expect((await get('other', 'same')).headers.get('cache-status')).toContain('hit');
    expect(app.counters.runs).toBe(runs);
  });

  test('for the common tables that SQL of callers reads, which itself may not call it', async () => {
    const sql = encodeURIComponent("select concat('is ', x) as x from a");
    for (const key of ['one', 'other', 'one'])
      expect(await valueFor(key, `over?sql=${sql}`)).toBe(`is ${keys.idOf(key)}`);
    for (const text of ['session_user()', 'Session_User', '`session\\x5fuser`()']) {
      const response = await get('one', `over?sql=${encodeURIComponent(`select ${text} as x from a`)}`);
      expect(await response.text()).toContain('the function SESSION_USER is not supported in SQL of callers');
    }
  });

  test('in rows beyond max_rows, too', async () => {
    for (const key of ['one', 'other', 'one', 'other']) {
      expect(await valueFor(key, 'pushed?x=like.*-150')).toBe(`${keys.idOf(key)}-150`);
      expect(await valueFor(key, 'pushed?select=x:x.max()&x=like.*-150')).toBe(`${keys.idOf(key)}-150`);
    }
  });

  test('which no parameter of a request changes', async () => {
    expect(await valueFor('one', 'who?querygate_user=nobody&session_user=nobody')).toBe(keys.idOf('one'));
  });
});
