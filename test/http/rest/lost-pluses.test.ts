import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey } from '../../support/test-app.ts';

const optional = (type: string, more = '') => `{ type: ${type}, ${more}description: About it. }`;

let folder: FolderApp;

beforeAll(async () => {
  const files = {
    't.all.sql': queryText({
      name: 't.all',
      caching: ['caching: 900s', 'row_arguments: all'],
      parameters: {
        t: optional('timestamp'),
        local: optional('datetime'),
        on_day: optional('date'),
        moments: optional('timestamp', 'repeated: true, bind: TIMESTAMP, '),
        word: optional('string', 'default: x, '),
        k: optional('integer', 'min: 0, '),
        f: optional('float'),
        is: optional('integer', 'repeated: true, bind: INT64, '),
      },
      columns: {
        id: 'integer',
        ts: 'timestamp',
        noon: 'datetime',
        day: 'date',
        note: 'string',
        num: 'float',
        dec: 'numeric',
        b: 'bytes',
        t_given: 'string',
      },
      sql: `select n as id, timestamp_add(timestamp '2026-01-02 00:00:00+00', interval 10 * n hour) as ts,
  datetime '2026-01-02 20:00:00' as noon, date '2026-01-02' as day, @word as note, n / 2 as num,
  cast(n as numeric) as dec, b'\\xfb' as b,
  concat(@t, @local, @on_day, @k, @f, cast(array_length(@is) + array_length(@moments) as string)) as t_given
from unnest(generate_array(1, 3)) as n order by n`,
    }),
  };
  folder = await openFolderApp(files, { env: { MCP: 'on' } });
});
afterAll(() => folder.close());

const get = async (search: string) => {
  const response = await folder.get(`t.all?${search}`);
  const { result, error } = (await response.json()) as {
    result?: { id: number; note: string; t_given?: string }[];
    error?: { message: string };
  };
  return {
    status: response.status,
    ids: result?.map(({ id }) => id),
    first: result?.[0],
    error: error?.message,
  };
};

describe('a plus that is not encoded is a space, as in forms,', () => {
  test.each([
    ['ts=gte.2026-01-02%2020:00', [2, 3]],
    ['ts=gte.2026-01-02%2020%3A00', [2, 3]],
    ['ts=gte.2026-01-02+20%3A00', [2, 3]],
    ['ts=gte.2026-01-02+20:00:00', [2, 3]],
    ['ts=gte.2026-01-02+20:00Z', [2, 3]],
    ['ts=gte.2026-01-02+22:00%2B02:00', [2, 3]],
    ['ts=gte.2026-01-02T22:00%2B02:00', [2, 3]],
    ['and=(ts.gte.2026-01-02%2020:00,id.lt.3)', [2]],
    ['noon=eq.2026-01-02%2020:00&id=eq.1', [1]],
    ['ts=gte.2026-01-02+20:00', [2, 3]],
  ])('before the time of a day: %s', async (search, ids) => {
    expect(await get(search)).toMatchObject({ status: 200, ids });
    const parameters = new URLSearchParams({ ts: 'gte.2026-01-02 20:00' });
    expect(await get(String(parameters))).toMatchObject({ status: 200, ids: [2, 3] });
  });

  test('and in a text', async () => {
    for (const search of ['word=2026-01-02+20:00', 'word=2026-01-02+20:00&note=eq.2026-01-02+20:00'])
      expect((await get(search)).first?.note, search).toBe('2026-01-02 20:00');
    const both = 'word=2026-01-02+20:00&and=(ts.gte.2026-01-02T00:00:00Z,note.eq.2026-01-02+20:00,id.eq.1)';
    expect((await get(both)).ids).toEqual([1]);
    expect((await get('word=2026-01-02%2B20:00')).first?.note).toBe('2026-01-02+20:00');
  });
});

describe('a number or a time whose plus became a space', () => {
  test('may have had none, in a list', async () => {
    expect((await get('id=in.(1,%202)')).error).toBe(
      'id: got " 2"; must be an integer, as in 42; write no space before it; in a URL, encode + as %2B',
    );
  });

  test.each([
    'k=+1',
    'f=+1.5',
    'f=1e+5',
    'is=+1',
    'is=2&is=+1',
    'limit=+1',
    'offset=+1',
    'id=gt.+1',
    'id=in.(1,+1)',
    'dec=gt.+1',
    'num=gt.1e+5',
    'num=gt.+1e+5',
    'b=eq.+w==',
    't=2026-01-05T00:00:00+01:00',
    't=2026-01-05+00:00:00+01:00',
    't=2026-01-05%2000:00:00%20+01:00',
    't=2026-01-05%2000:00:00%20%2B01:00',
    'ts=gt.2026-01-05+00:00:00.5+0100',
    't=2026-01-05+01',
  ])('is refused with the right way to write it: %s', async (search) => {
    const { status, error } = await get(search);
    expect([status, error]).toEqual([400, expect.stringContaining('; in a URL, encode + as %2B')]);
    // Of the patterns that know the texts.
    expect(error).not.toMatch(/[\^$\\]/);
    const written = search.replace('-05+01', '-05T00:00+01');
    const encoded = written.replaceAll(
      /(?:%20)?(?:\+|%2B)(?=[\d.]+(?:e\+\d+)?\)?$|w==$|\d\d:?\d\d$|5$)/g,
      '%2B',
    );
    expect(await get(encoded), encoded).toMatchObject({ status: 200 });
  });

  test('is refused without advice about URLs in GraphQL and MCP', async () => {
    const post = async (path: string, body: unknown) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': apiKey,
      };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await folder.app.fetch(new Request(`http://gateway.test${path}`, init))).text();
    };
    const t = '2026-01-05 00:00:00 01:00';
    const query = `{ tAll { rows(where: { ts: { gt: "${t}" } }) { id } } }`;
    expect(await post('/graphql', { query })).toMatch(/must be an ISO 8601 timestamp(?!.*%2B)/);
    for (const given of [{ t }, { and: `(ts.gt."${t}")` }]) {
      const params = { name: 't_all', arguments: given };
      const answer = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      expect(answer).toMatch(/t.*: got .*must be an ISO 8601 timestamp(?!.*%2B)/);
    }
  });

  test.each(['k=x', 'k=1%20', 'is=a', 'limit=-1', 'id=gt.one', 't=tomorrow', 'dec=gt.x'])(
    'is not meant by %s',
    async (search) => {
      const { status, error } = await get(search);
      expect([status, error]).toEqual([400, expect.not.stringContaining('%2B')]);
    },
  );
});
