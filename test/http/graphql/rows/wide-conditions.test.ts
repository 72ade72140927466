import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../../support/folder-app.ts';
import { queryText } from '../../../support/queries.ts';
import { apiKey } from '../../../support/test-app.ts';

/** As many columns as rows can be filtered by. */
const names = Array.from({ length: 500 }, (_, at) => `c${at}`);

const rowOf = (n: number) => `select ${names.map((name) => `${n} as ${name}`).join(', ')}`;

let folder: FolderApp;
beforeAll(async () => {
  folder = await openFolderApp({
    'wide.sql': queryText({
      name: 'wide',
      caching: ['caching: 900s', 'row_arguments: all'],
      columns: Object.fromEntries(names.map((name) => [name, 'integer'])),
      sql: `${rowOf(1)} union all ${rowOf(2)} order by c0`,
    }),
  });
});
afterAll(() => folder.close());

const rowsWhere = (where: object) =>
  folder.graphql('query ($where: WideWhere) { wide { rows(where: $where) { c0 } } }', apiKey, { where });

/** One comparison of the last column, behind all members that say nothing. */
const lastOf = (comparison: object) => ({
  ...{ and: [{}], or: [{}], not: { c0: { eq: 3 } } },
  ...Object.fromEntries(names.map((name) => [name, {}])),
  [names.at(-1) ?? '']: comparison,
});

test('conditions in a variable have as many members as there are columns, and all of them count', async () => {
  const second = { data: { wide: { rows: [{ c0: 2 }] } } };
  expect(await rowsWhere(lastOf({ eq: 2 }))).toEqual(second);
  expect(await rowsWhere({ or: [lastOf({ gt: 1 }), lastOf({ gt: 2 })] })).toEqual(second);
  expect(await rowsWhere({ not: { not: lastOf({ ne: 1 }) } })).toEqual(second);
});

test('an object with more members than any input object has is refused', async () => {
  const more = { ...lastOf({ eq: 2 }), further: {} };
  for (const where of [more, { or: [{}, more] }])
    expect(await rowsWhere(where)).toMatchObject({
      errors: [
        {
          message: 'variables: an object has more than 503 members; send fewer',
          extensions: { code: 'OPERATION_TOO_LARGE' },
        },
      ],
    });
});

test('of wrong members as many are named as of errors in a document', async () => {
  const wrong = Object.fromEntries(names.map((name) => [`${name}x`, {}]));
  const { errors = [] } = await rowsWhere(wrong);
  expect(errors.map(({ message }) => /unknown field "(\w+)"/.exec(message)?.[1])).toEqual([
    ...names.slice(0, 10).map((name) => `${name}x`),
    undefined,
  ]);
});
