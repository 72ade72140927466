import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** The sum of integers alone may be refused. Those of floats and of the greatest decimals depend on what is added first. */
const aggregates = [
  'integer.sum()',
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
