import { GraphQLObjectType, GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import { joinExtensions } from '../../../src/gateway/plugin-checks/join-extensions.ts';
import type { GatewayPlugin } from '../../../src/gateway/plugin.ts';
import { buildSchema } from '../../../src/http/graphql/schema/schema.ts';
import { draftQuery } from '../../support/queries.ts';

const field = { type: GraphQLString };
const ofRow = { type: new GraphQLObjectType({ name: 'Thing', fields: { a: field } }), key: [] };
const noRows = () => undefined;
const noRoots = { rootFields: {} };
const query = draftQuery({ name: 'q', columns: { n_n: 'integer' }, sql: 'SELECT 1 AS n_n' });

/** The fields of `Query`, and of the rows of a query, with these extensions; or who has failed, and how. */
function fieldsWith(...extensions: readonly unknown[]): readonly (readonly string[])[] | string {
  const plugins = extensions.map(
    (one, at): GatewayPlugin => ({ name: `p${at}`, extendSchema: () => one as never }),
  );
  const extend = joinExtensions(plugins, ({ name }, error) => {
    throw new Error(`${name}: ${(error as Error).message}`);
  });
  try {
    const schema = buildSchema({ queries: [query], parts: [], tables: [] } as never, extend);
    return ['Query', 'QRow'].map((type) =>
      Object.keys((schema.getType(type) as GraphQLObjectType).getFields()),
    );
  } catch (error) {
    return (error as Error).message;
  }
}

test('the fields of all plug-ins are those of one schema', () => {
  const first = { rootFields: { _a: field }, rowFields: noRows };
  const second = { rootFields: { _b: field }, rowFields: noRows };
  const ofRows = { rowFields: () => ({ thing: ofRow }) };
  expect(fieldsWith(undefined, first, second, ofRows)).toEqual([
    ['q', 'endpoints', 'endpoint', '_a', '_b'],
    ['nN', 'thing'],
  ]);
});

test.each([
  [{ rootFields: { q: field }, rowFields: noRows }, 'the field q must begin with _'],
  [{ rootFields: { '_a-b': field }, rowFields: noRows }, 'the field _a-b must have a name of GraphQL'],
  [{ rootFields: { __a: field }, rowFields: noRows }, 'the field __a must have a name of GraphQL'],
  [
    { rootFields: { _a: { type: 'String' } }, rowFields: noRows },
    'the field _a must have a type of the package graphql',
  ],
  [{ ...noRoots, rowFields: () => ({ nN: ofRow }) }, 'the field nN is there already; give it another name'],
  [{ ...noRoots, rowFields: async () => ({}) }, 'fields must be an object'],
  [noRoots, 'it must return an object rootFields and a function rowFields'],
  [Promise.resolve({}), 'it must return an object rootFields and a function rowFields'],
  [null, 'it must return an object rootFields and a function rowFields'],
])('a wrong extension is a failure of its plug-in: %j', (extension, problem) => {
  expect(fieldsWith({ ...noRoots, rowFields: noRows }, extension)).toBe(`p1: ${problem}`);
});

test('two plug-ins cannot have one field', () => {
  const root = { rootFields: { _a: field }, rowFields: noRows };
  const row = { ...noRoots, rowFields: () => ({ thing: ofRow }) };
  const problem = 'is there already; give it another name';
  expect(fieldsWith(root, root)).toBe(`p1: the field _a ${problem}`);
  expect(fieldsWith(row, row)).toBe(`p1: the field thing ${problem}`);
});
