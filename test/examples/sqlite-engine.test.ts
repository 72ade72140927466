import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, type Gateway } from 'querygate';
import { testEngine } from 'querygate/engine-test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFilms } from '../../examples/sqlite-engine/films.ts';
import { sqlite } from '../../examples/sqlite-engine/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-sqlite-'));
const file = join(folder, 'films.db');
writeFilms(file);
afterAll(() => rmSync(folder, { recursive: true }));

const count = (last: number) =>
  `with recursive n(x) as (select 1 union all select x + 1 from n where x < ${last}) select x from n`;

testEngine({
  test,
  engine: sqlite({ file }),
  // Starting a thread takes long on a loaded machine.
  limits: { timeoutMs: 5000 },
  // A cast of any text gives an integer.
  omit: ['wrongValue'],
  statements: {
    types: `select 'a "quoted" \\ ü 👍' as text, 9007199254740991 as whole, -9007199254740991 as least,
      0.1 as part, '100.50' as exact, true as yes, '2026-03-10 12:34:56.789012' as moment,
      '0001-01-01 00:00:00' as ancient, '2026-03-10 12:34:56' as local, '2026-03-10 12:34:56.500000' as later,
      '2026-03-10' as day, '12:34:56' as clock, '12:34:56.500000' as tick, cast('abc' as blob) as raw`,
    nested: `select '{"a":[1,null]}' as json, '{"here":1,"absent":null,"moment":1000000}' as record, '[1,2]' as list,
      '[{"name":"x","moments":[1000000]}]' as records`,
    nulls: 'select 1 as here, null as absent, null as list, 9e999 as infinite',
    beyondMaxRows: count(11),
    asManyAsMaxRows: count(10),
    noRows: 'select 1 as x where false',
    ordered: `${count(5000)} order by x desc`,
    longText: "select replace(hex(zeroblob(500000)), '0', 'a') as x",
    echo: 'select @word as said',
    typedParameters:
      'select @text as text, @whole as whole, @part as part, @yes as yes, @moment as moment, @day as day',
    lists: 'select value as x from json_each(@words)',
    unsafeInteger: 'select 9007199254740992 as x',
    missingRequired: 'select null as x',
    failing: "select json('no JSON') as x",
    now: 'select now() as x',
    endless: 'with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) as x from n',
  },
});

describe('the queries of the example', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await createGateway({
      queries: 'examples/sqlite-engine/queries',
      engine: sqlite({ file }),
      keys: () => ({ id: 'test', name: 'test' }),
    });
  });
  afterAll(() => gateway.close());
  const get = (path: string, init: RequestInit = {}) =>
    gateway.fetch(new Request(`http://gateway.test${path}`, init));

  test('are answered by REST', async () => {
    const response = await get('/api/endpoints/query/films.by-year?year=1994');
    expect(await response.json()).toMatchObject({
      result: [
        { title: 'Pulp Fiction', minutes: 154, genres: ['crime'] },
        { title: 'The Lion King', minutes: 88, genres: ['animation', 'musical'] },
        { title: 'Paths of Light', genres: [] },
      ],
    });
  });

  test('are answered by GraphQL', async () => {
    const query = '{ filmsSearch(text: "straight") { rows { title year } } }';
    const headers = { 'content-type': 'application/json' };
    const response = await get('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    expect(await response.json()).toEqual({
      data: { filmsSearch: { rows: [{ title: 'The Straight Story', year: 1999 }] } },
    });
  });

  test('are answered as CSV', async () => {
    const response = await get('/api/endpoints/query/films.search?text=pulp', {
      headers: { accept: 'text/csv' },
    });
    expect(await response.text()).toBe('title,year\r\nPulp Fiction,1994\r\n');
  });
});
