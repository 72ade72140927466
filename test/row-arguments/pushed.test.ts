import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/queries.ts';
import {
  type RandomCondition,
  type RandomOrder,
  type RandomValue,
  randomCondition,
  randomOrder,
  randomValues,
} from '../support/random-row-arguments.ts';

/** `ROW_TREES=20000` for as many random conditions and orders, and `ROW_SEED` for those of another run. */
const treeCount = Number(process.env.ROW_TREES ?? 25);
const seed = Number(process.env.ROW_SEED ?? Date.now() % 2 ** 31);

const maxRows = 40;

const types = Object.keys(randomValues) as (keyof typeof randomValues)[];

const casts: Readonly<Record<string, (text: string) => string>> = {
  string: (text) => text,
  integer: (text) => `cast(${text} as int64)`,
  float: (text) => `cast(${text} as float64)`,
  numeric: (text) => `cast(${text} as numeric)`,
  boolean: (text) => `cast(${text} as bool)`,
  timestamp: (text) => `cast(${text} as timestamp)`,
  datetime: (text) => `cast(${text} as datetime)`,
  date: (text) => `cast(${text} as date)`,
  time: (text) => `cast(${text} as time)`,
  bytes: (text) => `from_base64(${text})`,
};

const row = fc.record(
  Object.fromEntries(
    types.map((type) => [type, fc.option(randomValues[type] as fc.Arbitrary<RandomValue>, { freq: 5 })]),
  ),
);

/** A hundred rows, of few values each, whose texts the SQL has as JSON. */
function sqlOfRows(): string {
  const rows = fc.sample(row, { numRuns: 100, seed });
  const texts = rows.map((one, nr) => ({
    nr,
    ...Object.fromEntries(types.map((type) => [type, one[type] === null ? null : textOf(one[type])])),
  }));
  const cells = types.map((type) => `${casts[type]?.(`json_value(r, '$.${type}')`)} as \`${type}\``);
  const literal = JSON.stringify(JSON.stringify(texts));
  return `with texts as (select r from unnest(json_query_array(${literal})) as r)
select cast(json_value(r, '$.nr') as int64) as nr, ${cells.join(', ')} from texts order by nr;
-- the end`;
}

const textOf = (value: RandomValue | null | undefined) => value?.text.replace('Infinity', 'inf');

const header = ['caching: 900s', 'row_arguments: all'];
const columns = Object.fromEntries([['nr', 'integer'], ...types.map((type) => [type, type])]);

const files = (sql: string) => ({
  'whole.sql': queryText({ name: 'whole', caching: header, columns, sql }),
  'cut.sql': queryText({ name: 'cut', caching: [...header, 'push: true'], maxRows, columns, sql }),
});

const tree = fc.record({
  where: fc.option(randomCondition),
  orderBy: fc.array(randomOrder, { maxLength: 3 }),
  offset: fc.option(fc.integer({ min: 0, max: 5 })),
  first: fc.option(fc.integer({ min: 0, max: maxRows })),
});

type Tree = typeof tree extends fc.Arbitrary<infer T> ? T : never;

const conditionOf = ({ where }: Tree): readonly [string, string][] =>
  where === null ? [] : [['and', `(${(where as RandomCondition).rest})`]];

function rowsSearch(one: Tree): URLSearchParams {
  const { orderBy, offset, first } = one;
  const order = (orderBy as readonly RandomOrder[]).map(({ rest }) => rest).join(',');
  return new URLSearchParams([
    ...conditionOf(one),
    ...(order === '' ? [] : [['order', order]]),
    ['offset', String(offset ?? 0)],
    ...(first === null ? [] : [['limit', String(first)]]),
  ] as [string, string][]);
}

/** The sum of integers alone may be refused. Those of floats depend on what is added first. */
const aggregates = [
  'integer.sum()',
  'numeric.sum(),average:numeric.avg()',
  [
    'count(),average:integer.avg()',
    ...types.flatMap((type) => ['min', 'max', 'count'].map((name) => `${type}_${name}:${type}.${name}()`)),
  ].join(','),
];

async function answer(app: FolderApp, name: string, search: URLSearchParams) {
  const response = await app.get(`${name}?${search}`);
  const { result, error } = (await response.json()) as { result?: readonly unknown[]; error?: unknown };
  return { status: response.status, result, error, truncated: response.headers.get('querygate-truncated') };
}

async function expectSameRows(app: FolderApp, one: Tree): Promise<void> {
  const search = rowsSearch(one);
  const [whole, cut] = await Promise.all([answer(app, 'whole', search), answer(app, 'cut', search)]);
  const message = `seed ${seed}: ${search}`;
  expect(whole.status, `${message} ${JSON.stringify(whole.error)}`).toBe(200);
  expect(cut.error, message).toBeUndefined();
  expect(cut.result, message).toEqual(whole.result?.slice(0, maxRows));
  expect(cut.truncated === 'true', message).toBe((whole.result?.length ?? 0) > maxRows);
}

async function expectSameAggregates(app: FolderApp, one: Tree): Promise<void> {
  for (const select of aggregates) {
    const search = new URLSearchParams([...conditionOf(one), ['select', select]]);
    const [whole, cut] = await Promise.all([answer(app, 'whole', search), answer(app, 'cut', search)]);
    expect(cut, `seed ${seed}: ${search}`).toEqual({ ...whole, truncated: cut.truncated });
  }
}

describe('on DuckDB', () => {
  test('sums beyond their type are those that they are on all rows', async () => {
    const sql = `select * from unnest([
  struct(1 as id, 1.7e308 as f, numeric '99999999999999999999999999999.999999999' as n, bignumeric '578960446186580977117854925043439539266.34992332820282019728792003956564819967' as b),
  (2, 1.7e308, numeric '99999999999999999999999999999.999999999', bignumeric '578960446186580977117854925043439539266.34992332820282019728792003956564819967'),
  (3, -1.7e308, numeric '-0.5', bignumeric '0.00000000000000000000000000000000000001'),
  (4, -1.7e308, numeric '-99999999999999999999999999999.999999999', null),
  (5, null, null, null),
  (6, null, null, bignumeric '0.0000000005'),
  (7, null, null, bignumeric '0.0000000005')]);`;
    const some = { id: 'integer', f: 'float', n: 'numeric', b: 'numeric' } as const;
    const app = await openFolderApp({
      'whole.sql': queryText({ name: 'whole', caching: header, columns: some, sql }),
      'cut.sql': queryText({
        ...{ name: 'cut', caching: [...header, 'push: true'] },
        ...{ maxRows: 1, columns: some, sql },
      }),
    });
    onTestFinished(() => app.close());
    const select = ['f', 'n', 'b'].map((name) => `${name}:${name}.sum(),${name}_avg:${name}.avg()`).join();
    const sums = async (where: string) => {
      const search = new URLSearchParams(`select=${select}&id=${where}`);
      const [whole, cut] = await Promise.all([answer(app, 'whole', search), answer(app, 'cut', search)]);
      expect(cut, where).toEqual({ ...whole, truncated: cut.truncated });
      return cut.result?.[0];
    };
    expect(await sums('lte.2')).toEqual({
      n: '199999999999999999999999999999.999999998',
      n_avg: '99999999999999999999999999999.999999999',
      b: '1157920892373161954235709850086879078532.69984665640564039457584007913129639934',
      b_avg: '578960446186580977117854925043439539266.34992332820282019728792003956564819967',
    });
    expect(await sums('lte.3')).toMatchObject({ f: 1.7e308, n: '199999999999999999999999999999.499999998' });
    expect(await sums('lte.4')).toMatchObject({
      f: 0,
      f_avg: 0,
      n: '99999999999999999999999999999.499999999',
    });
    expect(
      await sums(`lte.4&b=eq.578960446186580977117854925043439539266.34992332820282019728792003956564819967`),
    ).toMatchObject({ n: '199999999999999999999999999999.999999998' });
    expect(await sums('eq.5')).toEqual({});
    expect(await sums('gte.6')).toEqual({ b: '0.000000001', b_avg: '0.0000000005' });
  });

  let app: FolderApp;
  beforeAll(async () => {
    app = await openFolderApp(files(sqlOfRows()), { level: 'error' });
  });
  afterAll(() => app.close());

  test('random conditions, orders and aggregates pushed into the SQL give what they give on all rows', async () => {
    const trees = fc.sample(tree, { numRuns: treeCount, seed });
    for (const [at, one] of trees.entries()) {
      await expectSameRows(app, one);
      if (at % 4 === 0) await expectSameAggregates(app, one);
    }
  }, 3_600_000);
});
