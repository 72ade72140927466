import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { makeQueryFolder, type QueryFolder } from '../../support/query-folder.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const parameters = {
  status: '{ type: string, default: "200", description: A status. }',
  method: '{ type: string, required: true, description: A method. }',
};
const unit =
  '{ type: enum, enum: Unit, description: A unit., default: day, unknown: default, values: { hour: { name: HOUR, also: [hr], description: An hour. }, day: { name: DAY, description: A day. } } }';
const refusedUnit = unit.replace('unknown: default', 'unknown: refuse').replace('enum: Unit', 'enum: Other');
const columns = { id: '{ type: string, required: true, description: An id. }' };
const sql = 'select concat(@status, @method) as id';

describe('parameters that a query does not declare', () => {
  let app: TestApp;
  let queries: QueryFolder;
  let keys: KeyFile;
  const lines: { readonly msg: string; readonly misspelled?: number }[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });

  beforeAll(async () => {
    const text = (name: string, caching: readonly string[]) =>
      queryText({ name, parameters, columns, sql, caching: ['caching: 900s', ...caching] });
    queries = makeQueryFolder({
      'plain.sql': text('plain', []),
      'unit.sql': queryText({
        name: 'unit',
        parameters: { unit, order: 'string' },
        columns,
        sql: 'select concat(@unit, @order) as id',
        caching: ['caching: 900s'],
      }),
      'refused.sql': queryText({
        name: 'refused',
        parameters: { unit: refusedUnit },
        columns,
        sql: 'select @unit as id',
      }),
      'paged.sql': text('paged', ['page: { by: [id] }']).replace(sql, `${sql} from unnest([1]) order by id`),
      'words.sql': queryText({
        name: 'words',
        parameters: { project_tier: 'string', iso_timestamp_start: 'string' },
        columns,
        sql: 'select concat(@project_tier, @iso_timestamp_start) as id',
      }),
      'strict.sql': text('strict', ['strict: true']),
      'rows.strict.sql': text('rows.strict', ['strict: true', 'row_arguments: all']),
      'pages.strict.sql': text('pages.strict', ['strict: true', 'page: { by: [id] }']).replace(
        sql,
        `${sql} from unnest([1]) order by id`,
      ),
    });
    keys = writeKeyFile({ narrow: { endpoints: ['plain'] } });
    const env = { QUERIES_DIR: queries.folder, API_KEYS_FILE: keys.path };
    app = await openTestApp({}, env, { log, options: { hideEndpoints: 'off' } });
  });
  afterAll(async () => {
    await app.close();
    queries.close();
    keys.remove();
  });

  const get = (path: string, key = apiKey, headers = {}) =>
    app.fetch(`/api/endpoints/query/${path}`, { headers: { 'x-api-key': key, ...headers } });
  const refusal = async (path: string, key?: string) => {
    const response = await get(path, key);
    const { error } = (await response.json()) as { error?: { message: string; parameter?: string } };
    return [response.status, error?.message];
  };

  test.each(['plain?', 'plain.csv?', 'paged?limit=1&'])(
    'are warned of and counted in the log: %s',
    async (path) => {
      const misspelled = `${path}method=GET&statu=404&formaat=csv`;
      const warned = await get(misspelled);
      expect(warned.headers.get('querygate-warning')).toBe(
        'statu is ignored, did you mean status?; formaat is ignored, did you mean format?',
      );
      expect(lines.at(-1)).toMatchObject({ msg: 'request', misspelled: 2 });
      const unchanged = await get(misspelled, apiKey, { 'if-none-match': warned.headers.get('etag') });
      expect([unchanged.status, unchanged.headers.get('querygate-warning')]).toEqual([
        304,
        expect.any(String),
      ]);
      const other = await get(`${path}method=GET&cachebuster=1`);
      expect([other.status, other.headers.get('querygate-warning')]).toEqual([200, null]);
      expect(lines.at(-1)).not.toHaveProperty('misspelled');
    },
  );

  test('are warned of if they are row arguments that the query does not allow', async () => {
    const warningOf = async (path: string) => (await get(path)).headers.get('querygate-warning');
    const wrong = 'is ignored, this endpoint allows no row arguments';
    for (const name of ['order', 'select', 'limit', 'offset', 'or', 'not.and'])
      expect(await warningOf(`plain?method=GET&${name}=1`), name).toBe(`${name} ${wrong}`);
    expect(await warningOf('plain?method=GET&$limit=1')).toBe(`$limit ${wrong}`);
    for (const name of ['id__gte', 'id>', 'id:eq', '$id'])
      expect(await warningOf(`plain?method=GET&${name}=1`), name).toBe(
        `${name} is ignored, the rows of this endpoint cannot be filtered`,
      );
    expect(await warningOf('paged?method=GET&limit=1&order=id')).toBe(`order ${wrong}`);
    expect(await warningOf('paged?method=GET&limit=1')).toBeNull();
    expect(await warningOf('unit?order=1')).toBeNull();
  });

  test('are warned of if they are words of a name', async () => {
    const warningOf = async (name: string) => (await get(`words?${name}=1`)).headers.get('querygate-warning');
    expect(await warningOf('tier')).toBe('tier is ignored, did you mean project_tier?');
    expect(await warningOf('iso_timestamp')).toBe(
      'iso_timestamp is ignored, did you mean iso_timestamp_start?',
    );
    for (const name of ['iso', 'stamp', 'timestamps', 'tiers_of'])
      expect(await warningOf(name), name).toBeNull();
  });

  test('the default in place of a value that is not listed is warned of, also from the cache', async () => {
    const warningOf = async (search: string) => {
      const response = await get(`unit${search}`);
      expect(response.status).toBe(200);
      return response.headers.get('querygate-warning');
    };
    const wrong = 'is not one of hour, day: day is used';
    for (let at = 0; at < 3; at += 1) {
      expect(await warningOf('?unit=weekly')).toBe(`unit: "weekly" ${wrong}`);
      expect(await warningOf('?unit=hr')).toBeNull();
    }
    expect(await warningOf('.csv?unit=HOUR')).toBe(`unit: "HOUR" ${wrong}`);
    expect(await warningOf('?unit=w%C3%B6che;%20%0D%0Ax:y')).toBe(
      String.raw`unit: "w\u00f6che\u003b \r\nx:y" ${wrong}`,
    );
    expect(await warningOf(`?unit=${'x'.repeat(500)}&limit=1`)).toBe(
      `unit: "${'x'.repeat(60)}..." ${wrong}; limit is ignored, this endpoint allows no row arguments`,
    );
    for (const search of ['', '?unit=', '?unit=hour', '?unit=day'])
      expect(await warningOf(search)).toBeNull();
    expect(await refusal('refused?unit=weekly')).toEqual([400, 'unit: got "weekly"; one of hour, day']);
  });

  test('are refused by a query with strict: true, with the nearest name', async () => {
    const message = 'is not a parameter of this endpoint';
    for (const [path, wrong] of [
      ['strict?method=GET&statu=404', `statu: ${message}; did you mean status?`],
      ['strict?mehtod=GET', `mehtod: ${message}; did you mean method?`],
      ['strict?method=GET&Status=404', `Status: ${message}; did you mean status?`],
      ['strict?method=GET&cachebuster=1', `cachebuster: ${message}; leave it out`],
      ['strict?method=GET&=1', `: ${message}; leave it out`],
      ['strict.csv?method=GET&fromat=csv', `fromat: ${message}; did you mean format?`],
      ['rows.strict?method=GET&oder=id', `oder: ${message}; did you mean order?`],
      ['pages.strict?method=GET&afer=x', `afer: ${message}; did you mean after?`],
      ['strict?method=GET&status:eq=1', `status:eq: ${message}; did you mean status?`],
      ['rows.strict?method=GET&id__gte=1', 'id__gte: is not a column; write id=gte.1'],
      ['strict?method=GET&limit=1', `limit: ${message}; leave it out`],
    ] as const)
      expect(await refusal(path), path).toEqual([400, wrong]);
    for (const path of [
      'strict?method=GET&status=404&format=csv',
      'strict?method=GET&',
      'strict?&&method=GET',
      'rows.strict?method=GET&order=id&limit=1&id=eq.x',
      'pages.strict?method=GET&limit=1',
    ])
      expect((await get(path)).status, path).toBe(200);
  });

  test('are ignored with COMPAT=logflare, also by a query with strict: true', async () => {
    const compat = await openTestApp({}, { QUERIES_DIR: queries.folder, COMPAT: 'logflare' });
    try {
      const path = '/api/endpoints/query/strict?method=GET&statu=404';
      const response = await compat.fetch(path, { headers: { 'x-api-key': apiKey } });
      expect([response.status, await response.json()]).toEqual([200, { result: [{ id: '200GET' }] }]);
    } finally {
      await compat.close();
    }
  });

  test('tell a key nothing of an endpoint that it may not call', async () => {
    const [status, text] = await refusal('strict?method=GET&statu=404', keys.keyOf('narrow'));
    expect([status, text]).toEqual([403, expect.not.stringContaining('status')]);
  });
});
