import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';

/** Columns that are NULL, which documents do not have. */
const empty = Array.from({ length: 60 }, (_, at) => `empty_column_${at}`);

/** Rows of which the first belongs to a user. */
const visits = queryText({
  name: 'visits',
  maxRows: 10_000,
  caching: [
    'caching: 3600s',
    'row_arguments: all',
    'page: { by: [number] }',
    'federation: { references: { user: { entity: User, key: { id: user_id } } } }',
  ],
  parameters: {
    rows: '{ type: integer, default: 1000, min: 1, max: 10000, bind: INT64, description: How many rows. }',
    places: '{ type: integer, default: 1, min: 1, max: 10000, bind: INT64, description: In each row. }',
  },
  columns: {
    ...Object.fromEntries(empty.map((name) => [name, 'string'])),
    number: '{ type: integer, required: true, description: A number. }',
    user_id: 'string',
    page: '{ type: string, required: true, description: Sixty characters. }',
    places:
      '{ type: record, repeated: true, description: Places., fields: { c: { type: integer, description: A city. } } }',
  },
  sql: `select ${empty.map((name) => `cast(null as string) as ${name}`).join(', ')}, number, if(number = 1, 'one', null) as user_id, rpad('/', 60, 'x') as page,
  array(select struct(n as c) from unnest(generate_array(1, @places)) as n) as places
from unnest(generate_array(1, @rows)) as number order by number`,
});

const names = queryText({
  name: 'names',
  caching: ['caching: 3600s', 'federation: { extends: User, key: { id: id }, field: names }'],
  parameters: { id: '{ type: string, required: true, description: A user. }' },
  columns: { name: '{ type: string, required: true, description: A name. }' },
  sql: 'select @id as name',
});

describe('rows from which results of entities are selected', () => {
  let folder: FolderApp;
  beforeAll(async () => {
    folder = await openFolderApp({ 'visits.sql': visits, 'names.sql': names }, { env: { FEDERATION: 'on' } });
  });
  afterAll(() => folder.close());

  const user = 'user { __typename names { __typename rowCount } }';
  const refused = expect.stringContaining('at most 0.5 MB');

  test.each([
    ['all rows', `visits { rows { page places { __typename c } ${user} } }`],
    ['some rows', `visits(rows: 9000) { rows(first: 1000) { page places { __typename c } ${user} } }`],
    [
      'a page',
      `visitsConnection(first: 1000) { edges { node { page places { __typename c } ${user} __typename } } }`,
    ],
    ['records with nothing else', `visits { rows { places { __typename } ${user} } }`],
  ])('are counted as they are long, with the types of their records: %s', async (_, fields) => {
    const { data, errors } = await folder.graphql(`{ ${fields} }`);
    expect(errors).toBeUndefined();
    const text = JSON.stringify(data);
    expect(text).toContain('"user":{"__typename":"User","names":{"__typename":"NamesResult","rowCount":1}}');
    expect(text.match(/VisitsRow_places/g)).toHaveLength(1000);
  });

  test.each([
    ['names of types', 'places { __typename c }'],
    ['aliases', `places { ${'c'.repeat(40)}: c }`],
    ['copies', 'a: places { c } b: places { c } d: places { c } e: places { c }'],
  ])('are refused if their records are too long by %s', async (_, places) => {
    const ask = (some: string) =>
      folder.graphql(`{ visits(rows: 2, places: 10000) { rows { ${some} ${user} } } }`);
    expect((await ask('places { c }')).errors).toBeUndefined();
    const { data, errors } = await ask(places);
    expect(errors?.map(({ message }) => message)).toEqual([refused]);
    expect(data).toEqual({ visits: null });
  });

  test('are counted with their columns that are NULL', async () => {
    const columns = empty.map((name) => name.replace('_c', 'C').replace('_', '')).join(' ');
    const ask = (rows: number) => folder.graphql(`{ visits(rows: ${rows}) { rows { ${columns} ${user} } } }`);
    expect((await ask(100)).errors).toBeUndefined();
    expect((await ask(1000)).errors?.map(({ message }) => message)).toEqual([refused]);
  });

  test('have the limit of rows with a condition that is null, and the message has both reasons', async () => {
    const query = `query ($yes: Boolean = true) { visits(rows: 10000) { rows { page number @include(if: $yes) } } }`;
    expect((await folder.graphql(query)).errors).toBeUndefined();
    const { errors } = await folder.graphql(query, undefined, { yes: null });
    expect(errors?.map(({ message }) => message)).toEqual([
      'Rows may have at most 0.5 MB in one response if results of entities are selected from them, or if a variable of @skip or @include is null; request fewer rows',
    ]);
  });
});
