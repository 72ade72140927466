import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';

const columns = {
  id: 'integer',
  name: 'string',
  share: 'float',
  is_new: 'boolean',
  made: 'timestamp',
  day: 'date',
  tags: '{ type: string, repeated: true, description: Tags. }',
};
const project = '{ type: string, default: x, description: A project. }';

function text(name: string, header: readonly string[], own: Readonly<Record<string, string>> = {}) {
  const parameters = { p: project, ...own };
  const isAny = Object.keys(parameters).map((one) => `cast(@${one} as string) != ''`);
  const sql = `select n as id, concat('name', n) as name, n / 4 as share, n > 3 as is_new,
  timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n hour) as made, date '2026-01-01' as day, ['a'] as tags
from unnest(generate_array(1, 5)) as n where ${isAny.join(' or ')} order by id`;
  return queryText({ name, parameters, columns, sql, caching: ['caching: 900s', ...header] });
}

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp({
    't.all.sql': text('t.all', ['row_arguments: all']),
    't.plain.sql': text('t.plain', []),
    't.paged.sql': text('t.paged', ['page: { by: [id] }']),
    't.strict.sql': text('t.strict', ['row_arguments: all', 'strict: true']),
    't.own.sql': text('t.own', ['row_arguments: all'], {
      top: project,
      filter: project,
      page: project,
      limit: '{ type: integer, default: 5, description: A parameter with a name of row arguments. }',
    }),
    't.plural.sql': text('t.plural', ['row_arguments: all'], { filters: project, top: project }),
    't.some.sql': text('t.some', []).replace('id: { type: integer,', 'id: { filter: true, type: integer,'),
  });
});
afterAll(() => folder.close());

const get = async (address: string) => {
  const response = await folder.get(address);
  const { result, error } = (await response.json()) as {
    result?: { id: number }[];
    error?: { message: string };
  };
  return {
    status: response.status,
    ids: result?.map(({ id }) => id),
    error: error?.message,
    warning: response.headers.get('querygate-warning'),
  };
};

const all = [1, 2, 3, 4, 5];
const limitAndOffset = 'write limit and offset, as in limit=20&offset=40';

describe('a word of another service', () => {
  test.each([
    ['not=(id.gt.5)', 'not is ignored, write not.and=(id.gt.5)'],
    ['not[id]=5', 'not[id] is ignored, write id=neq.5'],
    ['$filter=id%20eq%205', '$filter is ignored, write id=eq.5'],
    ['$top=2', '$top is ignored, write limit=2'],
    ['$skip=1', '$skip is ignored, write offset=1'],
    ['$orderby=id', '$orderby is ignored, write order=id'],
    ['$orderby=id%20desc,name', '$orderby is ignored, write order=id.desc,name'],
    ['$count=true', '$count is ignored, the header Querygate-Row-Count has the number of rows'],
    ['$format=csv', '$format is ignored, did you mean format?'],
    [
      '$select=id',
      '$select is ignored, each row has all columns, and select takes aggregates, as in select=count()',
    ],
    ['$select=count()', '$select is ignored, did you mean select?'],
    ['id-gt=5', 'id-gt is ignored, write id=gt.5'],
    ['id$gt=5', 'id$gt is ignored, write id=gt.5'],
    ['gt(id)=5', 'gt(id) is ignored, write id=gt.5'],
    ['min_id=5', 'min_id is ignored, write id=gte.5'],
    ['_sort=id&_order=desc', '_sort is ignored, write order=id.desc; _order is ignored, write order=id.desc'],
    ['_sort=id', '_sort is ignored, write order=id'],
    ['_limit=2', '_limit is ignored, did you mean limit?'],
    ['_page=2', `_page is ignored, ${limitAndOffset}`],
    ['_start=2', '_start is ignored, write offset=2'],
    ['_end=4', `_end is ignored, ${limitAndOffset}`],
    ['filter=id%3E5', 'filter is ignored, write id=gt.5'],
    ['filter=id.gt.5', 'filter is ignored, write id=gt.5'],
    ['filter=gt(id,5)', 'filter is ignored, write id=gt.5'],
    ['filter=id%3Dgt%3D5', 'filter is ignored, write id=gt.5'],
    ['filter=name:x', 'filter is ignored, write name=eq.x'],
    ['filter=id%20gt%201%20and%20id%20lt%203', 'filter is ignored, write id=gt....'],
    ['filter=other', 'filter is ignored, write each condition by its column, as in id=eq....'],
    ['where={%22id%22:5}', 'where is ignored, write id=eq.5'],
    ['where={%22id%22:{%22gt%22:5}}', 'where is ignored, write id=gt.5'],
    ['filter[where][id]=5', 'filter[where][id] is ignored, write id=eq.5'],
    ['filter[id]=5', 'filter[id] is ignored, write id=eq.5'],
    ['sort=-id', 'sort is ignored, write order=id.desc'],
    ['sort[id]=desc', 'sort[id] is ignored, write order=id.desc'],
    ['sort=[%22id%22,%22DESC%22]', 'sort is ignored, write order=id.desc'],
    ['sort=other', 'sort is ignored, write order=id.desc'],
    ['sort_by=id', 'sort_by is ignored, write order=id'],
    ['sortBy=id:asc', 'sortBy is ignored, write order=id.asc'],
    ['orderBy=id', 'orderBy is ignored, write order=id'],
    ['order_by=id', 'order_by is ignored, write order=id'],
    ['page=1', `page is ignored, ${limitAndOffset}`],
    ['page[size]=2', 'page[size] is ignored, write limit=2'],
    ['page[number]=2', `page[number] is ignored, ${limitAndOffset}`],
    ['page[limit]=2', 'page[limit] is ignored, write limit=2'],
    ['pageSize=2', 'pageSize is ignored, write limit=2'],
    ['page_size=2', 'page_size is ignored, write limit=2'],
    ['size=2', 'size is ignored, write limit=2'],
    ['per_page=2', 'per_page is ignored, write limit=2'],
    ['perPage=all', 'perPage is ignored, write limit=...'],
    ['top=2', 'top is ignored, write limit=2'],
    ['skip=1', 'skip is ignored, write offset=1'],
    ['first=2', 'first is ignored, write limit=2'],
    ['last=2', 'last is ignored, write order and limit, as in order=id.desc&limit=10'],
    ['cursor=x', `cursor is ignored, this endpoint has no pages, ${limitAndOffset}`],
    ['limit=5&after=x', `after is ignored, this endpoint has no pages, ${limitAndOffset}`],
    ['limit=5&before=x', `before is ignored, this endpoint has no pages, ${limitAndOffset}`],
    [
      'fields=id',
      'fields is ignored, each row has all columns, and select takes aggregates, as in select=count()',
    ],
    [
      'fields[]=id',
      'fields[] is ignored, each row has all columns, and select takes aggregates, as in select=count()',
    ],
    [
      'columns=id',
      'columns is ignored, each row has all columns, and select takes aggregates, as in select=count()',
    ],
    ['distinct=id', 'distinct is ignored, select takes aggregates of all rows, as in select=count()'],
    ['group=id', 'group is ignored, select takes aggregates of all rows, as in select=count()'],
    ['group_by=id', 'group_by is ignored, select takes aggregates of all rows, as in select=count()'],
    ['having=id', 'having is ignored, select takes aggregates of all rows, as in select=count()'],
  ])('has no effect, and the answer says what is to be written: %s', async (search, warning) => {
    expect(await get(`t.all?p=abc&${search}`)).toMatchObject({ status: 200, ids: all, warning });
  });

  test.each([
    ['id_gt=5', 'id_gt: is not a column; write id=gt.5'],
    ['idGte=5', 'idGte: is not a column; write id=gte.5'],
    ['id_not_in=1,2', 'id_not_in: is not a column; write id=not.in.(1,2)'],
    ['is_new_ne=true', 'is_new_ne: is not a column; write is_new=ne.true'],
    ['name_startswith=a', 'name_startswith: is not a column; write name=like.a*'],
    ['name__icontains=a', 'name__icontains: is not a column; write name=like.*a*'],
    ['name__isnull=false', 'name__isnull: is not a column; write name=is.not_null'],
    [
      'made_gte=2026-01-01T00:00:00%2B02:00',
      'made_gte: is not a column; write made=gte.2026-01-01T00:00:00%2B02:00',
    ],
    ['p_in=1', 'p_in: is not a parameter; write p=…'],
    ['id%255B%255D=1', 'id%5B%5D: is not a column; write id=eq.1'],
    ['id%255Bgt%255D=1', 'id%5Bgt%5D: is not a column; write id=gt.1'],
  ])('is refused behind the name of a column or a parameter: %s', async (search, error) => {
    expect(await get(`t.all?p=abc&${search}`)).toMatchObject({ status: 400, error });
  });

  test.each([
    ['page=1', 'page is ignored, this endpoint allows no row arguments'],
    ['sort[id]=desc', 'sort[id] is ignored, this endpoint allows no row arguments'],
    ['filter=x', 'filter is ignored, the rows of this endpoint cannot be filtered'],
    ['id_gt=5', 'id_gt is ignored, the rows of this endpoint cannot be filtered'],
    ['after=x', 'after is ignored, this endpoint allows no row arguments'],
    ['$top=1', '$top is ignored, this endpoint allows no row arguments'],
  ])('is warned of by a query without row arguments: %s', async (search, warning) => {
    expect(await get(`t.plain?p=abc&${search}`)).toMatchObject({ status: 200, ids: all, warning });
  });

  test('means a page, of a query that has pages', async () => {
    const pages = 'pages are read by limit=..., and by the after=... of the header Link';
    for (const [search, advice] of [
      ['page_size=2', 'page_size is ignored, write limit=2'],
      ['per_page=2000', 'per_page is ignored, write limit=...'],
      ['offset=2', 'offset is ignored, this endpoint allows no row arguments'],
      ['skip=2', `skip is ignored, ${pages}`],
      ['cursor=x', `cursor is ignored, ${pages}`],
      ['sort=id', 'sort is ignored, this endpoint allows no row arguments'],
    ])
      expect((await get(`t.paged?p=abc&limit=5&${search}`)).warning, search).toBe(advice);
  });

  test('is the parameter of a query that declares it, or that declares it with other letters', async () => {
    expect(await get('t.own?top=a&filter=b&page=2&limit=3')).toMatchObject({ status: 200, warning: null });
    expect((await get('t.own?p=a&size=2&pageSize=2')).warning).toBe(
      'size is ignored, did you mean limit?; pageSize is ignored, did you mean limit?',
    );
    expect((await get('t.plural?p=a&filter=x&Top=2')).warning).toBe(
      'filter is ignored, did you mean filters?; Top is ignored, did you mean top?',
    );
  });

  test('is refused by a query with strict: true, which says the same', async () => {
    for (const [search, advice] of [
      ['top=2', 'top: is not a parameter of this endpoint; write limit=2'],
      ['sort[id]=desc', 'sort[id]: is not a parameter of this endpoint; write order=id.desc'],
      ['tag=x', 'tag: is not a parameter of this endpoint; leave it out'],
    ])
      expect(await get(`t.strict?p=a&${search}`), search).toMatchObject({ status: 400, error: advice });
  });

  test('is found behind many names that mean nothing here', async () => {
    const others = Array.from({ length: 50 }, (_, at) => `utm_x${at}=1`).join('&');
    expect((await get(`t.all?p=abc&${others}&top=2`)).warning).toBe('top is ignored, write limit=2');
    const many = Array.from({ length: 50 }, (_, at) => `page[${at}]=1`).join('&');
    expect((await get(`t.all?p=abc&${many}`)).warning?.split('; ')).toHaveLength(5);
  });

  test.each([
    ...['utm_source', 'utm_medium', 'utm_id', '_', 'cb', 'callback', 'v', 't', 'nocache', 'gclid', 'fbclid'],
    ...['version', 'lang', 'ref', 'debug', 'pretty', 'nonce', 'api-version', 'top_level', 'start', 'max'],
    ...['signed_in', 'is_admin', 'opt_in', 'from', 'to', 'x_from', 'cachebuster', 'request_id', 'trace'],
  ])('is not what clients add for other reasons: %s', async (name) => {
    expect((await get(`t.all?p=abc&${name}=abc&sort=&page=`)).warning).toBeNull();
  });
});

describe('advice', () => {
  const values = [
    '5',
    'x',
    'true',
    '0.5',
    '2026-01-05',
    '2026-01-05T10:00:00+02:00',
    '1,2',
    'a b',
    '(1)',
    'cs.x',
  ];
  const spellings = [
    ...[
      '[]',
      '[eq]',
      '[gt]',
      '[contains]',
      '[in]',
      '[not][in]',
      '__gte',
      '__isnull',
      '_like',
      '-lt',
      '$ne',
      '>',
    ],
    ...['.gt', ':eq', '[x]', 'Gt', '_between', '_startswith', '__exists', '[$nin]'],
  ].map((spelling) => (column: string) => `${column}${spelling}`);
  const around = [
    'gt({})',
    'filter[{}]',
    'filter[where][{}][lt]',
    'min_{}',
    'not[{}]',
    'not.{}',
    '_{}',
    '"{}"',
  ].map((spelling) => (column: string) => spelling.replace('{}', column));
  const samples: Readonly<Record<string, string>> = {
    id: '1',
    name: 'a',
    share: '0.5',
    is_new: 'true',
    made: '2026-01-05T10:00:00Z',
    day: '2026-01-05',
  };

  /** The parameters that a message says are to be written, with values in the place of `…`. */
  function advised(message: string): readonly string[] {
    const written = message.matchAll(/(?:write|as in) ((?:not\.)?\w+=[^\s;]+)/g);
    return [...written].map(([, pair = '']) => {
      const [column = ''] = /\w+(?==|\.eq\.(?:\.\.\.|…))/.exec(pair.replace(/^not\.and=\(/, '')) ?? [];
      const filled = pair.replace(/,$/, '').replace(/\.\.\.(?=\)?$)|…/, samples[column] ?? '1');
      return filled.replace(/ .*/, '');
    });
  }

  test.each(['t.all', 't.some'])('that is followed is not refused: %s', async (query) => {
    const wrong: string[] = [];
    let count = 0;
    for (const column of Object.keys(columns))
      for (const spell of [...spellings, ...around])
        for (const value of values.slice(0, 6)) {
          const name = spell(column);
          const { warning, error = '' } = await get(
            `${query}?p=abc&${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
          );
          for (const pair of advised(warning ?? error)) {
            count += 1;
            const { status, error } = await get(`${query}?p=abc&${pair}`);
            if (status !== 200) wrong.push(`${name}=${value}: ${pair}: ${error}`);
          }
          if (column === 'tags' && /write tags|mean tags/.test(warning ?? error)) wrong.push(`${name}: tags`);
        }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  test.each([
    ...[
      'order[]',
      'order[id]',
      '_order',
      'sort',
      'sort[id]',
      'sort[tags]',
      'orderBy',
      '$orderby',
      'oder',
      'select[]',
    ],
    ...[
      '$select',
      'slect',
      'select.x',
      'filter',
      'where',
      'not',
      '$filter',
      'q',
      'limit[]',
      '_limit',
      'limt',
      'top',
    ],
    ...[
      'page',
      'cursor',
      'after',
      'last',
      'distinct',
      'fields',
      'and.x',
      'or[x][y]',
      'nor',
      'offset[]',
      'size',
    ],
  ])('on a word, whatever its value, is not refused when followed: %s', async (name) => {
    const texts = [
      ...values,
      'id',
      '-id',
      'desc',
      'tags',
      'id.desc',
      'id,-name',
      'count()',
      '(id.gt.5)',
      'id gt 5',
    ];
    for (const value of texts) {
      const { warning, error = '' } = await get(
        `t.all?p=abc&${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
      );
      for (const pair of advised(warning ?? error)) {
        const filled = /^(?:and|or)=/.test(pair) ? `${pair.split('=')[0]}=(id.eq.1)` : pair;
        const followed = filled.startsWith('select=1') ? 'select=count()' : filled;
        expect(await get(`t.all?p=abc&${followed}`), `${name}=${value}: ${pair}`).toMatchObject({
          status: 200,
        });
      }
    }
  });

  test('names the columns that can be filtered, for one that cannot', async () => {
    const right = 'cannot be filtered, these can be: id, name, share, is_new, made, day';
    expect((await get('t.all?p=abc&tags[]=x')).error).toBe(`tags[]: is not a column; tags ${right}`);
    expect((await get('t.all?p=abc&tag=x')).warning).toBe(`tag is ignored, tags ${right}`);
    expect((await get('t.some?p=abc&name__gt=x')).error).toBe(
      'name__gt: is not a column; name cannot be filtered, these can be: id',
    );
    expect((await get('t.some?p=abc&sort=id')).warning).toBe(
      'sort is ignored, the rows of this endpoint cannot be ordered',
    );
  });
});
