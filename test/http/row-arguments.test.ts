import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/queries.ts';
import { apiKey } from '../support/test-app.ts';

const rowsSql = `select n as id, if(mod(n, 3) = 0, null, concat('name ', mod(n, 5))) as name,
  200 + 100 * mod(n, 4) as status_code, n / 4 as share,
  timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n hour) as made, @limit as given
from unnest(generate_array(1, 40)) as n where n <= cast(@project as int64) order by n`;

const caching = ['caching: 900s'];

const files = {
  'marked.sql': queryText({
    name: 'marked',
    caching,
    parameters: {
      project: '{ type: integer, default: 40, description: How many rows. }',
      limit: '{ type: string, default: none, description: A parameter with a name of row arguments. }',
    },
    columns: {
      id: '{ type: integer, description: An id., filter: true, order: true }',
      name: '{ type: string, description: A name., filter: true, order: true }',
      status_code: '{ type: integer, description: A status., filter: true }',
      share: '{ type: float, description: A share., order: true }',
      made: '{ type: timestamp, description: When., filter: true, order: true }',
      given: 'string',
    },
    sql: rowsSql,
  }),
  'cut.sql': queryText({
    name: 'cut',
    caching: [...caching, 'row_arguments: all'],
    maxRows: 10,
    columns: { id: 'integer', total: 'integer', word: 'string' },
    sql: "select n as id, 9007199254740991 as total, 'x' as word from unnest(generate_array(1, 40)) as n order by n",
  }),
  'great.sql': queryText({
    name: 'great',
    caching: [
      ...caching,
      'row_arguments: all',
      'prometheus: { labels: [], metrics: { test_share: { column: share } } }',
    ],
    columns: { share: 'float', made: 'timestamp' },
    sql: "select 1e16 as share, timestamp '9999-12-31 00:00:00+00' as made",
  }),
  'boxed.sql': queryText({
    name: 'boxed',
    caching: [...caching, 'row_arguments: all', 'query_sandboxing: enabled'],
    columns: { id: 'integer' },
    sql: 'with t as (select 1 as id) select id from t order by id',
  }),
  'flags.sql': queryText({
    name: 'flags',
    caching: [...caching, 'row_arguments: all'],
    columns: { id: 'integer', flag: 'boolean' },
    sql: 'select 1 as id, true as flag union all select 2, false union all select 3, null order by id',
  }),
  'plain.sql': queryText({
    name: 'plain',
    columns: { id: 'integer' },
    sql: 'select 1 as id union all select 2 order by id',
  }),
};

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp(files);
});

afterAll(() => folder.close());

/** The rows of a REST call that succeeds. */
async function rows(address: string): Promise<Record<string, unknown>[]> {
  const response = await folder.get(address);
  const body = (await response.json()) as { result: Record<string, unknown>[] };
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body.result;
}

const ids = async (search: string) => (await rows(`marked?${search}`)).map(({ id }) => id);

/** The error of a REST call. */
async function refusal(address: string) {
  const response = await folder.get(address);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
}

/** What a GraphQL operation without errors returns. */
async function data(query: string): Promise<Record<string, unknown>> {
  const { data = {}, errors } = await folder.graphql(query);
  expect(errors).toBeUndefined();
  return data;
}

describe('REST', () => {
  test('rows are filtered, ordered and cut in the words of PostgREST', async () => {
    expect(await ids('status_code=gte.400&name=in.(name%201,"name%202")&order=made.desc&offset=1')).toEqual([
      26, 22, 11, 7, 2,
    ]);
    expect(await ids('name=is.null&id=lt.10')).toEqual([3, 6, 9]);
    expect(await ids('name=not.is.null&id=lte.4')).toEqual([1, 2, 4]);
    expect(await ids('id=gt.2&id=lt.5')).toEqual([3, 4]);
    // As IS NOT TRUE in SQL: `is` is never NULL.
    for (const [condition, expected] of [
      ['flag=is.true', [1]],
      ['flag=not.is.true', [2, 3]],
      ['not.and=(flag.is.false)', [1, 3]],
      ['flag=not.eq.true', [2]],
    ] as const)
      expect(
        (await rows(`flags?${condition}`)).map(({ id }) => id),
        condition,
      ).toEqual(expected);
    expect(await ids('or=(id.eq.1,and(id.gte.39,not.name.is.null))')).toEqual([1, 40]);
    expect(await ids('not.or=(id.gt.2,id.lt.2)')).toEqual([2]);
    expect(await ids('name=like.*4&id=lt.20')).toEqual([4, 14, 19]);
    expect(await ids('made=eq.2026-01-01T05:00:00Z')).toEqual([5]);
    expect(await ids('id=lt.4&order=name,id.desc')).toEqual([3, 1, 2]);
    expect(await ids('id=lt.4&order=name.asc.nullslast,id.desc')).toEqual([1, 2, 3]);
  });

  test('a parameter of the query is never a row argument, and limit is one where it is no parameter', async () => {
    expect(await rows('marked?limit=2&project=3')).toHaveLength(3);
    expect((await rows('marked?limit=2&project=3'))[0]).toMatchObject({ given: '2' });
    expect(await rows('cut?limit=2&offset=1')).toEqual([
      { id: 2, total: 9007199254740991, word: 'x' },
      { id: 3, total: 9007199254740991, word: 'x' },
    ]);
  });

  test.each([
    ...'ilike match imatch isdistinct cs cd ov sl sr nxr nxl adj fts plfts phfts wfts'.split(' '),
    'fts(english)',
    'eq(any)',
  ])('the operator %s of PostgREST is refused with those that there are', async (operator) => {
    for (const search of [`name=${operator}.a`, `name=not.${operator}.a`, `or=(name.${operator}.a)`])
      expect(await refusal(`marked?${search}`), search).toEqual([
        400,
        'INVALID_PARAMETER',
        `name: ${operator} is not an operator here; these are: eq, neq, ne, lt, lte, gt, gte, like, in, is, each also after not.`,
      ]);
  });

  test('a select of * is that of all columns', async () => {
    expect(await ids('select=*&id=lt.3&limit=9')).toEqual([1, 2]);
  });

  test.each(['id=eq.1', 'order=id', 'limit=1', 'id=cs.1'])(
    'SQL of a caller is not answered as if there were no %s',
    async (search) => {
      const [status, , message] = await refusal(`boxed?sql=select%20id%20from%20t&${search}`);
      expect([status, message]).toEqual([
        400,
        expect.stringMatching(/^(?:sql: has rows of its own|id: cs is)/),
      ]);
    },
  );

  test('a query without marked columns ignores what would be row arguments', async () => {
    expect(await rows('plain?id=eq.1&order=id.desc&limit=1&or=(x)')).toEqual([{ id: 1 }, { id: 2 }]);
    for (const search of ['id=eq.1', 'id=1', 'id[eq]=1', 'id[]=1'])
      expect((await folder.get(`plain?${search}&other=eq.1`)).headers.get('querygate-warning')).toBe(
        'id is ignored, the rows of this endpoint cannot be filtered',
      );
  });

  test('no argument runs the query again', async () => {
    await rows('cut');
    const before = folder.app.counters.misses;
    const tags = new Set<string | null>();
    for (const search of ['id=eq.1', 'id=eq.2', 'order=id.desc', 'select=count()', 'id=eq.1']) {
      const response = await folder.get(`cut?${search}`);
      expect(response.headers.get('cache-status')).toContain('hit');
      tags.add(response.headers.get('etag'));
    }
    expect(folder.app.counters.misses).toBe(before);
    expect(tags.size).toBe(4);
  });

  test('an answer says over how many rows it is, and whether the result was cut', async () => {
    const { headers } = await folder.get('cut?id=gt.8');
    expect(headers.get('querygate-row-count')).toBe('2');
    expect(headers.get('querygate-of-rows')).toBe('10');
    expect(headers.get('querygate-truncated')).toBe('true');
    expect((await folder.get('cut')).headers.get('querygate-of-rows')).toBeNull();
  });

  test('aggregates are one row', async () => {
    expect(
      await rows('marked?select=count(),share.sum(),mean:id.avg(),id.max(),first:made.min()&id=lte.4'),
    ).toEqual([{ count: 4, sum: 2.5, mean: 2.5, max: 4, first: 1767229200000000 }]);
    expect(await rows('marked?select=count(),n:name.count(),id.sum(),name.min()&id=gt.100')).toEqual([
      { count: 0, n: 0 },
    ]);
  });

  test('aggregates are Prometheus text if they have its columns', async () => {
    expect(await refusal('great?select=share.sum()&format=prometheus')).toEqual([
      406,
      'NOT_ACCEPTABLE',
      'Aggregates without share have no Prometheus text; choose another format',
    ]);
    const response = await folder.get('great?select=share:share.sum()&format=prometheus');
    expect(await response.text()).toContain('\ntest_share 10000000000000000\n');
  });

  test('a limit may be greater than any result', async () => {
    const all = '9'.repeat(30);
    expect(await ids(`id=gt.38&limit=${all}`)).toEqual([39, 40]);
    expect(await ids(`offset=1&limit=${all}`)).toHaveLength(39);
    expect(await ids(`offset=${all}&limit=${all}`)).toEqual([]);
    expect((await data('{ marked { rows(first: 2147483647) { id } } }')).marked).toMatchObject({
      rows: { length: 40 },
    });
  });

  test('other formats have the same rows', async () => {
    const response = await folder.get('marked.csv?id=lte.2&order=id.desc&select=');
    expect(
      (await response.text())
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['2', '1', '']);
    const counted = await folder.get('marked.csv?id=lte.2&select=count()');
    expect(await counted.text()).toBe('count\r\n2\r\n');
  });

  test.each([
    ['status_code=400', 'status_code: got "400"; write an operator'],
    ['status_code=between.400', 'status_code: got "between.400"; write an operator'],
    ['status_code=gte.many', 'status_code: got "many"; must be an integer'],
    ['made=gt.yesterday', 'made: got "yesterday"; must be an ISO 8601 timestamp'],
    ['share=gt.1', 'share: cannot be filtered; these can be: id, name, status_code, made'],
    ['given=eq.1', 'given: cannot be filtered'],
    ['nothing=eq.1', 'nothing: cannot be filtered'],
    ['id=is.maybe', 'id: is.maybe: must be is.null'],
    ['name=is.true', 'name: is.true needs a boolean column'],
    ['id=not.is.FALSE', 'id: is.FALSE needs a boolean column'],
    ['share=is.true', 'share: cannot be filtered'],
    ['id=lt.9223372036854775808', 'id: got "9223372036854775808"; must be within INT64'],
    ['id=like.1', 'id: like needs a column of texts'],
    ['name=like.a%5C', 'name: in a pattern of like'],
    ['id=in.(1,2', 'id: expected ")" at character 8'],
    ['or=(id.eq.1', 'or: expected ")"'],
    ['or=(id.eq.1))', 'or: expected the end'],
    ['or=()', 'or: expected a column'],
    ['order=status_code', 'status_code: cannot be ordered by; these can be: id, name, share, made'],
    ['order=id.down', 'order: got "id.down"; write columns with directions'],
    ['offset=-1', 'offset: got "-1"; must be a whole number from 0'],
    ['offset=1&offset=2', 'offset: is repeated; send it once'],
    ['select=id', 'select: got "id"; write aggregates'],
    ['select=name.sum()', 'name: sum needs a column of numbers'],
    ['select=id&limit=1', 'select: got "id"; write aggregates'],
    ['made=gte.2026-01-01T05:00:00+00:00', 'in a URL, encode + as %2B'],
    ['given=cs.%7Bx%7D', 'given: cannot be filtered; these can be: id, name, status_code, made'],
    ['given=not.ilike.x', 'given: cannot be filtered'],
    ['given=x', 'given: cannot be filtered'],
    ['share=eq', 'share: cannot be filtered'],
    ['nothing=fts(english).x', 'nothing: cannot be filtered'],
    ['nothing=not.ov.(1)', 'nothing: cannot be filtered'],
    ['and=(nothing.cs.%7Bx%7D)', 'nothing: cannot be filtered'],
    ['select=id.max(),share.max()', 'select: two values are named max'],
    ['select=id.max(),MAX:share.max()', 'select: two values are named MAX'],
    ['select=count()&order=id', 'order: cannot be used with select'],
  ])('%s is refused', async (search, message) => {
    expect(await refusal(`marked?${search}`)).toEqual([
      400,
      'INVALID_PARAMETER',
      expect.stringContaining(message),
    ]);
  });

  test.each([
    [
      'a long list',
      `id=in.(${'1,'.repeat(1000)}1)`,
      'id: the lists of in have more than 1000 values together',
    ],
    [
      'a long pattern',
      `name=like.${'a'.repeat(257)}`,
      'name: the pattern of like has 257 characters; the limit is 256',
    ],
    [
      'a deep tree',
      `or=(${'or('.repeat(12)}id.eq.1${')'.repeat(13)}`,
      'Conditions are more than 10 levels deep',
    ],
    [
      'a large tree',
      `or=(${'id.eq.1,'.repeat(100)}id.eq.1)`,
      'Conditions, keys of the order and aggregates are more than 100',
    ],
  ])('%s is refused', async (_, search, message) => {
    expect(await refusal(`marked?${search}`)).toEqual([
      400,
      'INVALID_PARAMETER',
      expect.stringContaining(message),
    ]);
  });

  test('a sum that JSON has not exactly is refused', async () => {
    expect(await refusal('cut?select=total.sum()')).toEqual([
      400,
      'INVALID_PARAMETER',
      expect.stringContaining('total: its sum is beyond ±9007199254740991'),
    ]);
  });
});

describe('GraphQL', () => {
  test('aggregates of floats and times are not bounded as integers are', async () => {
    const { great } = await data(
      '{ great { rows { share made } aggregates { sum { share } max { share made } } } }',
    );
    const { rows: [row] = [], aggregates } = great as { rows: object[]; aggregates: object };
    expect(row).toMatchObject({ share: 1e16 });
    expect(aggregates).toEqual({ sum: { share: 1e16 }, max: row });
    expect(await rows('great?select=share.sum(),made.max()')).toMatchObject([{ sum: 1e16 }]);
  });

  test.each(['{}', '{ id: {} }', '{ and: [] }', '{ not: {} }'])(
    'at most 100 conditions as empty as %s are read',
    async (empty) => {
      const answer = (count: number) =>
        folder.graphql(`{ marked { rows(where: { or: [${`${empty} `.repeat(count)}] }, first: 1) { id } } }`);
      expect((await answer(100)).errors).toBeUndefined();
      const { errors = [] } = await answer(101);
      expect(errors).toEqual([
        expect.objectContaining({ message: expect.stringContaining('are more than 100 together') }),
      ]);
    },
  );

  test('rows take conditions, an order and a part of the list', async () => {
    const { marked } = await data(`{ marked {
      rowCount
      few: rows(where: { statusCode: { gte: 400 }, or: [{ name: { eq: "name 1" } }, { not: { id: { lt: 38 } } }] },
        orderBy: [{ made: DESC }], first: 3, offset: 1) { id }
      rows(where: { name: { isNull: true } }, first: 1) { id name }
    } }`);
    expect(marked).toEqual({
      rowCount: 40,
      few: [{ id: 38 }, { id: 31 }, { id: 26 }],
      rows: [{ id: 3, name: null }],
    });
  });

  test('aggregates are beside the rows', async () => {
    const { marked } = await data(`{ marked { aggregates(where: { id: { lte: 4 } }) {
      count sum { id share } avg { id } min { made name } max { statusCode }
    } rows(first: 1) { id } } }`);
    expect(marked).toEqual({
      aggregates: {
        count: 4,
        sum: { id: 10, share: 2.5 },
        avg: { id: 2.5 },
        min: { made: '2026-01-01T01:00:00.000000Z', name: 'name 1' },
        max: { statusCode: 500 },
      },
      rows: [{ id: 1 }],
    });
  });

  test.each([
    ['where: { id: { eq: null } }', 'id.eq: is null; leave it out, or compare with NULL by isNull: true'],
    ['where: { id: null }', 'id: is null'],
    ['first: -1', 'first: got "-1"; must be a whole number from 0'],
    ['where: { name: { like: "a\\\\" } }', 'name: in a pattern of like'],
  ])('%s is refused', async (given, message) => {
    const { errors = [] } = await folder.graphql(`{ marked { rows(${given}) { id } } }`);
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(message),
        extensions: expect.objectContaining({ code: 'INVALID_PARAMETER' }),
      }),
    ]);
  });

  test('a query without marked columns takes no arguments', async () => {
    const { errors = [] } = await folder.graphql('{ plain { rows(first: 1) { id } } }');
    expect(errors[0]?.message).toContain('Unknown argument "first"');
  });
});

test('OpenAPI has row arguments apart from the parameters of the query', async () => {
  const response = await folder.app.fetch(
    new Request('http://gateway.test/openapi.json', { headers: { 'x-api-key': apiKey } }),
  );
  const { paths } = (await response.json()) as {
    paths: Record<
      string,
      { get: { parameters: { name?: string; 'x-row-argument'?: true }[]; 'x-row-arguments'?: unknown } }
    >;
  };
  const namesOf = (name: string) =>
    paths[`/api/endpoints/query/${name}`]?.get.parameters.flatMap((one) =>
      one['x-row-argument'] ? [one.name] : [],
    );
  expect(namesOf('marked')).toEqual([
    ...['id', 'name', 'status_code', 'made', 'and', 'or', 'order', 'select', 'offset'],
  ]);
  expect(namesOf('plain')).toEqual([]);
  const columnsOf = (name: string) => paths[`/api/endpoints/query/${name}`]?.get['x-row-arguments'];
  expect([columnsOf('marked'), columnsOf('plain')]).toEqual([
    { filter: ['id', 'name', 'status_code', 'made'], order: ['id', 'name', 'share', 'made'] },
    undefined,
  ]);
});
