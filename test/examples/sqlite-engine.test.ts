import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, type Gateway } from 'querygate';
import { testEngine } from 'querygate/engine-test';
import { openapi, pages } from 'querygate/plugins';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFilms } from '../../examples/sqlite-engine/films.ts';
import { sqlite } from '../../examples/sqlite-engine/sqlite.ts';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import {
  type ReadRow,
  readArrow,
  readCsv,
  readNdjson,
  readParquet,
  withoutNulls,
} from '../support/read-formats.ts';

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
  const now = new Date('2026-03-10T12:34:56.789Z');
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await createGateway({
      queries: 'examples/sqlite-engine/queries',
      engine: sqlite({ file }),
      keys: () => ({ id: 'test', name: 'test' }),
      plugins: [pages(), openapi()],
      now: () => now,
    });
  });
  afterAll(() => gateway.close());
  const get = (path: string, init: RequestInit = {}) =>
    gateway.fetch(new Request(`http://gateway.test${path}`, init));
  const post = async (query: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await get('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
  };

  test('are answered by REST', async () => {
    const response = await get('/api/endpoints/query/films.by-year?year=1994');
    expect(await response.json()).toEqual({
      result: [
        { title: 'Pulp Fiction', minutes: 154, genres: ['crime'] },
        { title: 'The Lion King', minutes: 88, genres: ['animation', 'musical'] },
        { title: 'Paths of Light', genres: [] },
      ],
    });
  });

  test('are answered by GraphQL, records with their fields', async () => {
    expect(await post('{ filmsSearch(text: "straight") { rows { title year } } }')).toEqual({
      data: { filmsSearch: { rows: [{ title: 'The Straight Story', year: 1999 }] } },
    });
    expect(await post('{ filmsPerYear { rows { year minutes longest { title } } } }')).toEqual({
      data: {
        filmsPerYear: {
          rows: [
            { year: 1994, minutes: 121, longest: { title: 'Pulp Fiction' } },
            { year: 1999, minutes: 112, longest: { title: 'The Straight Story' } },
          ],
        },
      },
    });
  });

  test('refuse what a parameter cannot be, before the engine', async () => {
    const response = await get('/api/endpoints/query/films.by-year?year=soon');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_PARAMETER', parameter: 'year' } });
  });

  test('have pages, and are in the OpenAPI document', async () => {
    const response = await get('/queries/films.by-year', { headers: { accept: 'text/html' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toContain('<script');
    const { paths } = (await (await get('/openapi.json')).json()) as { readonly paths: object };
    expect(Object.keys(paths)).toContain('/api/endpoints/query/films.by-year');
  });

  describe.each(['films.by-year', 'films.per-year'])('%s is answered in every format', (name) => {
    const path = `/api/endpoints/query/${name}?year=1994`;
    const bytes = async (format: string) => {
      const response = await get(`${path}&format=${format}`);
      expect(response.status, format).toBe(200);
      return new Uint8Array(await response.arrayBuffer());
    };
    const columns = () => gateway.catalog.queries.find((query) => query.name === name)?.columns ?? [];
    let expected: readonly ReadRow[];
    beforeAll(async () => {
      const { result } = (await (await get(path)).json()) as { readonly result: readonly ReadRow[] };
      expect(result.length).toBeGreaterThan(1);
      expected = result;
    });

    test('NDJSON', async () => {
      expect(await readNdjson(await bytes('ndjson'))).toEqual(expected);
    });

    test('CSV', async () => {
      const rows = withoutNulls(await readCsv(await bytes('csv')));
      expect(rows).toEqual(
        expected.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, csvText(name, value)])),
        ),
      );
    });

    test('Parquet', async () => {
      expect(withoutNulls(await readParquet(await bytes('parquet'), columns()))).toEqual(expected);
    });

    test('Arrow', async () => {
      expect(withoutNulls(readArrow(await bytes('arrow'), columns()))).toEqual(expected);
    });
  });

  test('are scraped by Prometheus', async () => {
    const response = await get('/api/endpoints/query/films.per-year?format=prometheus');
    const samples = (await response.text()).split('\n').filter((line) => /^[^#]/.test(line));
    expect(samples).toEqual(['films{year="1994"} 3', 'films{year="1999"} 1']);
  });
});

/** A timestamp is a text in CSV, and what is nested is JSON. */
function csvText(name: string, value: unknown): string {
  if (name === 'counted') return '2026-03-10T12:34:56.789000Z';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

test('new writes the header of a statement, and check finds a statement that SQLite refuses', async () => {
  const { check, columnsOf } = sqlite({ file });
  const source = { file: 'new.sql', line: 1 };
  const limits = { concurrency: 1, queueLength: 1, timeoutMs: 1000 };
  const options = { source, tables: [], parameters: [], limits };
  expect(await columnsOf?.('select title, year from films where year = @year', options)).toEqual([
    { name: 'title', type: 'string', repeated: false },
    { name: 'year', type: 'integer', repeated: false },
  ]);
  await expect(columnsOf?.('select nope from films', options)).rejects.toThrow(
    'new.sql:1 no such column: nope',
  );
  const { queries } = loadCatalog('examples/sqlite-engine/queries');
  const broken = queries.map((query) => ({ ...query, sql: 'select nope from films' }));
  const checkAll = (found: typeof queries) =>
    check?.(buildAnalyze({ sql: 'native' })({ queries: found, tables: [] }), { limits, onChecked: () => {} });
  expect(await checkAll(queries)).toEqual([]);
  expect(await checkAll(broken)).toMatchObject(broken.map(() => ({ message: 'no such column: nope' })));
});
