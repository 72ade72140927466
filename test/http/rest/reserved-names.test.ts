import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Column, Endpoint } from '../../../packages/pages/src/endpoint.ts';
import { conditionOf } from '../../../packages/pages/src/parameters/row-arguments.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';

/** Names with a meaning of their own in a query string: of rows, and of pages and requests. */
const ofRows = ['and', 'or', 'order', 'limit', 'offset', 'select'];
const others = ['after', 'before', 'format', 'sql'];

const id = '{ type: integer, required: true, description: An id. }';
const source = 'from unnest(generate_array(1, 3)) as id';

const columnOf = (name: string, caching = ['row_arguments: all', 'page: { by: [id] }']) =>
  queryText({
    name: `${name}.column`,
    columns: { id, [name]: 'string' },
    sql: `select id, concat('v', cast(id as string)) as \`${name}\` ${source} order by id`,
    caching: ['caching: 900s', ...caching],
  });

const parameterOf = (name: string, caching = ['row_arguments: all']) =>
  queryText({
    name: `${name}.parameter`,
    parameters: { [name]: '{ type: string, description: A text. }' },
    columns: { id },
    sql: `select id ${source} where @${name} = 'eq.x' order by id`,
    caching: ['caching: 900s', ...caching],
  });

let folder: FolderApp;
let paths: Record<string, { get: { parameters: { name?: string; 'x-row-argument'?: true }[] } }>;
beforeAll(async () => {
  folder = await openFolderApp({
    ...Object.fromEntries(others.map((name) => [`${name}.column.sql`, columnOf(name)])),
    ...Object.fromEntries(ofRows.map((name) => [`${name}.parameter.sql`, parameterOf(name)])),
  });
  ({ paths } = (await (await folder.get('../../../openapi.json')).json()) as { paths: typeof paths });
});
afterAll(() => folder.close());

/** The parameters of a name that the OpenAPI document has. */
const documented = (query: string, name: string) =>
  Object.entries(paths)
    .filter(([path]) => path.endsWith(`/${query}`))
    .flatMap(([, { get }]) => get.parameters.filter((one) => one.name === name));

/** The condition of the pages for a cell of the column. */
const conditionIn = (name: string, parameters: readonly string[] = []) =>
  conditionOf(
    {
      parameters: parameters.map((one) => ({ name: one })) as unknown as Endpoint['parameters'],
      filter: [name],
      order: [],
      pageKeys: [],
      maxRows: 10,
    },
    { name, type: 'string', repeated: false } as unknown as Column,
    'v2',
  );

const refusal = async (text: string) => {
  const opened = openFolderApp({ 'q.sql': text }).then((app) => app.close());
  return opened.then(
    () => '',
    (error: Error) => error.message,
  );
};

test.each(others)(
  '%s is no parameter of a query, and a column with its name is filtered in a tree',
  async (name) => {
    const [word = '', text = ''] = conditionIn(name) ?? [];
    expect(word).toBe('and');
    const response = await folder.get(`${name}.column?${new URLSearchParams({ [word]: text })}`);
    expect(await response.json()).toEqual({ result: [{ id: 2, [name]: 'v2' }] });
    const isOfPages = name === 'after' || name === 'before';
    expect(documented(`${name}.column`, name)).toHaveLength(isOfPages ? 1 : 0);
    expect(await refusal(parameterOf(name, ['page: { by: [id] }']))).toContain('choose another name');
  },
);

test.each(ofRows)(
  '%s is that of a query that declares it, and no column with its name is marked',
  async (name) => {
    const response = await folder.get(`${name}.parameter?${name}=eq.x`);
    expect(await response.json()).toEqual({ result: [{ id: 1 }, { id: 2 }, { id: 3 }] });
    expect(documented(`${name}.parameter`, name)).toEqual([
      expect.not.objectContaining({ 'x-row-argument': true }),
    ]);
    expect(conditionIn(name, [name])?.[0]).toBe(name === 'and' ? undefined : 'and');
    expect(await refusal(columnOf(name))).toContain('is a word of row arguments');
  },
);
