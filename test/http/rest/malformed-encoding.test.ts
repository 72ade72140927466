import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';

let folder: FolderApp;

beforeAll(async () => {
  const columns = { n: '{ type: integer, required: true, description: Which. }', note: 'string' };
  const sql = "select n, 'a' as note from unnest([1, 2, 3]) as n order by n";
  folder = await openFolderApp({
    't.rows.sql': queryText({
      name: 't.rows',
      caching: ['caching: 900s', 'row_arguments: all'],
      columns,
      sql,
    }),
    't.pages.sql': queryText({
      name: 't.pages',
      maxRows: 2,
      caching: ['caching: 900s', 'page: { by: [n] }'],
      columns,
      sql,
    }),
  });
});
afterAll(() => folder.close());

test.each([
  ...['note=%ff', 'note=eq.%ff', 'note=eq.%zz', 'n=gte.%C3%28', 'order=n%ff', 'limit=%ff', 'offset=%zz'],
  ...['select=count%ff()', 'or=(note.eq.%ff)', 'not.and=(n.eq.1,note.eq.%ED%A0%80)'],
])('a percent-encoding that is not UTF-8 is called so, and not quoted: t.rows?%s', async (search) => {
  expect(await problemOf(`t.rows?${search}`)).toBe(
    `${search.split('=')[0]}: is not well-formed Unicode; send UTF-8, percent-encoded`,
  );
});

test.each(['limit=%ff', 'after=%zz', 'before=%ff'])(
  'nor where pages are read: t.pages?%s',
  async (search) => {
    expect(await problemOf(`t.pages?${search}`)).toBe(
      `${search.split('=')[0]}: is not well-formed Unicode; send UTF-8, percent-encoded`,
    );
  },
);

test('a parameter that is ignored is ignored, whatever its encoding', async () => {
  expect((await folder.get('t.rows?utm=%ff')).status).toBe(200);
});

async function problemOf(path: string): Promise<string | undefined> {
  const response = await folder.get(path);
  expect(response.status).toBe(400);
  return ((await response.json()) as { error?: { message: string } }).error?.message;
}
