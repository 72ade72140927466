import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey } from '../../support/test-app.ts';

const caching = ['caching: 900s'];
const columns = { id: 'integer' };
const from = 'from unnest(generate_array(1, 5)) as n';

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp({
    'lists.sql': queryText({
      name: 'lists',
      caching: [...caching, 'row_arguments: all'],
      parameters: {
        is: '{ type: integer, repeated: true, bind: INT64, description: Ids. }',
        word: '{ type: string, default: x, description: A word. }',
      },
      columns,
      sql: `select n as id ${from} where array_length(@is) = 0 or n in unnest(@is) order by array_length(@is), n, @word`,
    }),
    'ordered.sql': queryText({
      name: 'ordered',
      caching,
      parameters: { is: '{ type: integer, repeated: true, required: true, bind: INT64, description: Ids. }' },
      columns,
      sql: 'select i as id from unnest(@is) as i with offset as place order by place',
    }),
    'long.sql': queryText({
      name: 'long',
      caching,
      parameters: {
        is: '{ type: integer, repeated: true, max_items: 10000, bind: INT64, description: Ids. }',
      },
      columns,
      sql: 'select array_length(@is) as id',
    }),
  });
});
afterAll(() => folder.close());

const get = async (address: string) => {
  const response = await folder.get(address);
  const { result, error } = (await response.json()) as {
    result?: { id: number }[];
    error?: { message: string; parameter: string };
  };
  return {
    status: response.status,
    ids: result?.map(({ id }) => id),
    error: error?.message,
    warning: response.headers.get('querygate-warning'),
  };
};

describe('a list in a URL', () => {
  test.each([
    'is=4&is=2',
    'is[]=4&is[]=2',
    'is%5B%5D=4&is%5b%5d=2',
    'is[0]=4&is[1]=2',
    'is[1]=2&is[0]=4',
    'is=4&is[]=2',
    'is[10]=2&is[9]=4',
  ])('is written as %s', async (search) => {
    expect(await get(`ordered?${search}`)).toEqual({
      status: 200,
      ids: [4, 2],
      error: undefined,
      warning: null,
    });
  });

  test('with brackets may be empty, and may have as many values as one without', async () => {
    expect((await get('lists?is[]=')).ids).toEqual([1, 2, 3, 4, 5]);
    const many = Array.from({ length: 150 }, (_, at) => `is[${at}]=${at}`).join('&');
    expect((await get(`lists?${many}`)).ids).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    ['is[a]=1', 'is[a]: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is[][]=1', 'is[][]: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is[0][id]=1', 'is[0][id]: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is[=1', 'is[: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is%5Ba%5D=1', 'is[a]: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is.0=1', 'is.0: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is]=1', 'is]: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['id.eq=1', 'id.eq: is not a column; write id=eq.1'],
    ['word[]=a', 'word[]: is not a list; write word=…'],
    ['order[]=id.desc', 'order[]: is not a list; write order=id.desc, several joined by commas'],
    ['order[0][field]=id', 'order[0][field]: is not a list; write order=id, several joined by commas'],
    ['select[]=count()', 'select[]: is not a list; write select=…, several joined by commas'],
    ['limit[0]=1', 'limit[0]: is not a list; write limit=…'],
    ['id[eq]=1', 'id[eq]: is not a column; write id=eq.1'],
    ['id[gte]=2', 'id[gte]: is not a column; write id=gte.2'],
    ['id.gte=2', 'id.gte: is not a column; write id=gte.2'],
    ['id[$ne]=2', 'id[$ne]: is not a column; write id=ne.2'],
    ['id[in]=1,2', 'id[in]: is not a column; write id=in.(1,2)'],
    ['id[x]=%22', 'id[x]: is not a column; write id=eq.…'],
    ['id[0][x]=gte.2', 'id[0][x]: is not a column; write id=gte.2'],
    ['id__gte=2', 'id__gte: is not a column; write id=gte.2'],
    ['id__contains=2', 'id__contains: is not a column; write id=eq.2'],
    ['is__gte=1', 'is__gte: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['is%255B%255D=1', 'is%5B%5D: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
    ['format[]=csv', 'format[]: is not a list; write format=…'],
  ])('is refused for a parameter that is not a list: %s', async (search, message) => {
    expect(await get(`lists?${search}`)).toMatchObject({ status: 400, error: message });
  });

  test.each([
    ['is:gte=1', 'is:gte is ignored, did you mean is?'],
    ['is:=1', 'is: is ignored, did you mean is?'],
    ['amp;is=1', String.raw`amp\u003bis is ignored, did you mean is?`],
    ['word=a&amp;word=b', String.raw`amp\u003bword is ignored, did you mean word?`],
    ['?is=1', '?is is ignored, did you mean is?'],
    ['%20is=1', '" is" is ignored, did you mean is?'],
    ['is%20=1', '"is " is ignored, did you mean is?'],
    ['%22word%22=1', '"word" is ignored, did you mean word?'],
    ['%EF%BB%BFis=1', String.raw`"\ufeffis" is ignored, did you mean is?`],
    ['$limit=1', '$limit is ignored, did you mean limit?'],
    ['amp;format=csv', String.raw`amp\u003bformat is ignored, did you mean format?`],
    ['[is]=1', '[is] is ignored, did you mean is?'],
    ['params[is]=1', 'params[is] is ignored, did you mean is?'],
    ['wrod:x=1', 'wrod is ignored, did you mean word?'],
    ['id%3E=2', 'id> is ignored, write id=gte.2'],
    ['id%3E2', 'id>2 is ignored, write id=gt.2'],
    ['id!=2', 'id! is ignored, write id=neq.2'],
    ['id%3C%3E2', 'id<>2 is ignored, write id=neq.2'],
    ['id:eq=2', 'id:eq is ignored, write id=eq.2'],
    ['filter[id][lt]=2', 'filter[id][lt] is ignored, write id=lt.2'],
    ['amp;id=2', String.raw`amp\u003bid is ignored, write id=eq.2`],
  ])('or another parameter with characters around its name is warned of: %s', async (search, warning) => {
    expect(await get(`lists?${search}`)).toMatchObject({ status: 200, warning });
  });

  test.each([
    '_=1',
    '__typename=1',
    'utm_source.x=1',
    '%20=1',
    '%C3%A9=1',
    'a:b[c]=1',
    `is${'%5B'.repeat(3000)}=1`,
  ])('is not meant by %s', async (search) => {
    const { warning } = await get(`lists?${search}`);
    expect(warning).toBeNull();
  });

  test('that is required is said to be missing where it is written in another way', async () => {
    expect(await get('ordered?is[a]=1')).toMatchObject({
      status: 400,
      error: 'is: is required; is[a] is not a value of a list; write a list as is=…&is=…, or is[]=…',
    });
  });

  test('of conditions on the rows is one of conditions that must all be true', async () => {
    expect((await get('lists?id[]=gte.2&id[]=lt.4')).ids).toEqual([2, 3]);
    expect((await get('lists?or[]=(id.eq.1,id.eq.2)&or[]=(id.eq.2,id.eq.3)')).ids).toEqual([2]);
  });

  test('whose name is misspelled is warned of, and one of another name is ignored', async () => {
    expect(await get('lists?Is[]=1')).toMatchObject({
      status: 200,
      warning: 'Is is ignored, did you mean is?',
    });
    expect(await get('lists?tracking[]=1')).toMatchObject({ status: 200, warning: null });
  });

  test('is read by COMPAT=logflare in the same way, of URLs and of forms', async () => {
    const compat = await openFolderApp(
      {
        'ordered.sql': queryText({
          name: 'ordered',
          caching,
          parameters: { is: '{ type: integer, repeated: true, bind: INT64, description: Ids. }' },
          columns,
          sql: 'select i as id from unnest(@is) as i with offset as place order by place',
        }),
      },
      { env: { COMPAT: 'logflare' } },
    );
    const rows = { result: [{ id: 4 }, { id: 2 }] };
    expect(await (await compat.get('ordered?is[]=4&is[]=2')).json()).toEqual(rows);
    const form = await compat.app.fetch(
      new Request('http://gateway.test/api/endpoints/query/ordered', {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'is[]=4&is[]=2',
      }),
    );
    expect(await form.json()).toEqual(rows);
    await compat.close();
  });
});

test('a list in variables of GraphQL may be as long as its parameter permits, and is not cut', async () => {
  const send = (length: number) => {
    const is = Array.from({ length }, (_, at) => at);
    return folder.graphql('query ($is: [SafeInt!]) { long(is: $is) { rows { id } } }', apiKey, { is });
  };
  expect(await send(10_000)).toEqual({ data: { long: { rows: [{ id: 10_000 }] } } });
  expect(JSON.stringify(await send(10_001))).toContain('is: has 10001 values; the limit is 10000');
});
