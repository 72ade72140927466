import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAnalyzed } from '../../../src/catalog-analysis/load-analyzed.ts';
import { graphqlExamples } from '../../../src/gateway/examples.ts';
import { queryText } from '../../support/queries.ts';
import { randomRows } from '../../support/random-rows.ts';
import { selectColumns } from '../../support/select-fields.ts';
import { apiKey, now, openTestApp, type TestApp } from '../../support/test-app.ts';

const post = async (app: TestApp, query: string) => {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const response = await app.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  return response.text();
};

describe('the shipped logs', () => {
  const { queries, tables } = loadAnalyzed('queries');
  let app: TestApp;
  beforeAll(async () => {
    const logs = tables.filter(({ name }) => name === 'edge_logs');
    app = await openTestApp(randomRows(logs, 'p', now, 400));
  });
  afterAll(() => app.close());

  test('only the bytes of the selected fields are sent', async () => {
    const bytesOf = async (selection: string) => {
      const text = await post(
        app,
        `{ logsAll(project: "p", projectTier: PRO) { rows { id ${selection} } } }`,
      );
      expect(JSON.parse(text).data.logsAll.rows).toHaveLength(100);
      return Buffer.byteLength(text);
    };
    const columns = queries.find(({ name }) => name === 'logs.all')?.columns ?? [];
    const every = await bytesOf(selectColumns(columns.filter(({ type }) => type === 'record')));
    const three = await bytesOf('metadata { request { method path } response { statusCode } }');
    const one = await bytesOf('metadata { request { path } }');
    process.stdout.write(
      `100 rows of logs.all: ${every} bytes with every field, ${three} with three, ${one} with one\n`,
    );
    expect(every / one).toBeGreaterThan(10);
    expect(every / three).toBeGreaterThan(5);
  });

  test('every example of GraphiQL is answered', async () => {
    for (const example of graphqlExamples({ queries, tables })) {
      expect(JSON.parse(await post(app, example)), example).not.toHaveProperty('errors');
    }
  });
});

describe('records of any kind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'tables'));
  const field = (name: string, type: string, more: object = {}) => ({ name, type, ...more });
  const repeated = { mode: 'REPEATED' };
  writeFileSync(
    join(folder, 'tables/events.json'),
    JSON.stringify([
      field('id', 'STRING'),
      field('one', 'RECORD', {
        fields: [
          field('n', 'INTEGER'),
          field('texts', 'STRING', repeated),
          field('at', 'TIMESTAMP', { mode: 'REQUIRED' }),
          field('ratios', 'FLOAT', repeated),
          field('constructor', 'STRING'),
        ],
      }),
      field('many', 'RECORD', {
        ...repeated,
        fields: [
          field('a_b', 'INTEGER'),
          field('aB2', 'STRING'),
          field('cf-ray', 'STRING'),
          field('sub', 'RECORD', {
            ...repeated,
            fields: [
              ...['DATE', 'TIME', 'DATETIME', 'NUMERIC', 'BIGNUMERIC', 'BYTES', 'JSON', 'BOOLEAN'].map(
                (type) => field(type.toLowerCase(), type),
              ),
            ],
          }),
        ],
      }),
    ]),
  );
  const record = '{ type: record, description: One. }';
  writeFileSync(
    join(folder, 'events.sql'),
    queryText({
      name: 'events',
      columns: { id: 'string', one: record, many: '{ type: record, repeated: true, description: Many. }' },
      sql: 'select id, one, many from events order by id',
    }),
  );
  writeFileSync(
    join(folder, 'free.sql'),
    queryText({
      name: 'free',
      columns: { one: '{ type: record, description: One, fields: any }' },
      sql: "select one from events where id = 'a'",
    }),
  );
  writeFileSync(
    join(folder, 'lists.sql'),
    queryText({
      name: 'lists',
      columns: Object.fromEntries(
        ['float', 'json', 'string', 'integer'].map((type) => [
          type,
          `{ type: ${type}, repeated: true, description: A list. }`,
        ]),
      ),
      sql: `select [cast('nan' as float64), 1] as float, [json 'null', json '1'] as json, ['x', null] as string,
        [null, 1] as \`integer\``,
    }),
  );
  writeFileSync(
    join(folder, 'never.null.sql'),
    queryText({
      name: 'never.null',
      columns: {
        json: '{ type: json, required: true, description: JSON. }',
        one: `{ type: record, required: true, description: One, fields: {
          ratio: { type: float, required: true }, json: { type: json, required: true }, n: { type: integer, required: true } } }`,
      },
      sql: "select json 'null' as json, struct(cast('inf' as float64) as ratio, json 'null' as json, 1 as n) as one",
    }),
  );
  const rows = [
    {
      id: 'a',
      one: {
        n: 9_007_199_254_740_991,
        texts: ['x', null],
        at: '2026-01-01T00:00:00.123456Z',
        ratios: ['NaN', 1],
      },
      many: [
        {
          a_b: 1,
          aB2: 'é',
          'cf-ray': 'r',
          sub: [
            {
              date: '2026-01-01',
              time: '01:02:03',
              datetime: '2026-01-01T01:02:03.5',
              numeric: '1.50',
              bignumeric: '1e20',
              bytes: 'AQI=',
              json: { x: [1, { y: null }] },
              boolean: true,
            },
            null,
          ],
        },
        null,
      ],
    },
    { id: 'b', one: null, many: [] },
    { id: 'c', one: { at: '2026-01-01T00:00:00Z' }, many: [{}] },
  ];
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({ events: rows }, { QUERIES_DIR: folder });
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('have the values that columns have; NULL is null, a list that is NULL is empty', async () => {
    const { events } = (await app.data(
      '{ events { rows { id one { n texts at ratios constructor } many { t: __typename aB aB2 cfRay sub { date time datetime numeric bignumeric bytes json boolean } } } } }',
    )) as { events: { rows: unknown[] } };
    expect(events.rows).toEqual([
      {
        id: 'a',
        one: {
          n: 9_007_199_254_740_991,
          texts: ['x', null],
          at: '2026-01-01T00:00:00.123456Z',
          ratios: [null, 1],
          constructor: null,
        },
        many: [
          {
            t: 'EventsRow_many',
            aB: 1,
            aB2: 'é',
            cfRay: 'r',
            sub: [
              {
                date: '2026-01-01',
                time: '01:02:03',
                datetime: '2026-01-01T01:02:03.5',
                numeric: '1.5',
                bignumeric: '100000000000000000000',
                bytes: 'AQI=',
                json: { x: [1, { y: null }] },
                boolean: true,
              },
              null,
            ],
          },
          null,
        ],
      },
      { id: 'b', one: null, many: [] },
      {
        id: 'c',
        one: { n: null, texts: [], at: '2026-01-01T00:00:00.000000Z', ratios: [], constructor: null },
        many: [{ t: 'EventsRow_many', aB: null, aB2: null, cfRay: null, sub: [] }],
      },
    ]);
  });

  /** A condition that is null makes graphql-js execute all of the operation. */
  const asObjects = async (rowsOf: string) => {
    const query = `query ($none: Boolean = true) { ${rowsOf} other: neverNull { rows { json @include(if: $none) } } }`;
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ query, variables: { none: null } });
    const response = await app.fetch('/graphql', { method: 'POST', headers, body });
    const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors: object[] };
    expect(errors).toHaveLength(1);
    return data;
  };

  test('are the same as objects that graphql-js makes', async () => {
    const rowsOf = 'events { rows { id one { n at constructor texts } many { cfRay sub { json } } } }';
    const { events } = await app.data(`{ ${rowsOf} }`);
    expect((await asObjects(rowsOf)).events).toEqual(events);
  });

  test('columns that are lists have null for NaN, NULL and null of JSON too', async () => {
    const lists = { float: [null, 1], json: [null, 1], string: ['x', null], integer: [null, 1] };
    const rowsOf = 'lists { rows { float json string integer } }';
    expect(await app.data(`{ ${rowsOf} }`)).toEqual({ lists: { rows: [lists] } });
    expect(await asObjects(rowsOf)).toMatchObject({ lists: { rows: [lists] } });
    expect(await app.rows('lists')).toEqual([lists]);
  });

  test('are null where JSON is, also if the SQL never yields NULL', async () => {
    const rowsOf = 'neverNull { rows { json one { ratio json n } } }';
    const neverNull = { rows: [{ json: null, one: { ratio: null, json: null, n: 1 } }] };
    expect(await app.data(`{ ${rowsOf} }`)).toEqual({ neverNull });
    expect(await asObjects(rowsOf)).toMatchObject({ neverNull });
  });

  test('are JSON as a whole with fields: any', async () => {
    expect(await app.data('{ free { rows { one } } }')).toMatchObject({
      free: { rows: [{ one: { n: 9_007_199_254_740_991, at: 1_767_225_600_123_456 } }] },
    });
    expect(await post(app, '{ free { rows { one { n } } } }')).toContain('must not have a selection');
    expect(await post(app, '{ events { rows { one } } }')).toContain('must have a selection');
  });

  test('selections that differ in any way are never mistaken for one another', async () => {
    const selections = [
      '{ n }',
      '{ a: n }',
      '{ n: at }',
      '{ n at }',
      '{ at n }',
      '{ n __typename }',
      '{ __typename }',
    ];
    const seen = new Map<string, string>();
    for (let round = 0; round < 3; round += 1) {
      for (const selection of selections) {
        const { events } = JSON.parse(
          await post(app, `query R${round} { events { rows { one ${selection} } } }`),
        ).data;
        const text = JSON.stringify(events);
        expect(seen.get(selection) ?? text).toBe(text);
        seen.set(selection, text);
      }
    }
    expect(new Set(seen.values()).size).toBe(selections.length);
  });
});
