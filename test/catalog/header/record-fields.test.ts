import { describe, expect, test } from 'vitest';
import { graphqlNames, isRenamed } from '../../../src/names/graphql-names.ts';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { queryText } from '../../support/queries.ts';

const parse = (fields: string, type = 'record') =>
  parseSavedQuery(
    'draft',
    'draft.sql',
    queryText({
      columns: { x: `{ type: ${type}, description: X, fields: ${fields} }` },
      sql: 'select 1 as x',
    }),
  );
const messages = (fields: string, type?: string) =>
  parse(fields, type).problems.map(({ line, message }) => `${line} ${message}`);

describe('the fields of a record', () => {
  test('are a type, or more', () => {
    const { query } = parse(
      '{ path: string, took: { type: float, unit: ms }, who: { type: record, repeated: true, fields: { ip: string } } }',
    );
    const plain = { repeated: false, required: false, line: 7 };
    expect(query?.columns[0]?.fields).toEqual([
      { name: 'path', type: 'string', ...plain },
      { name: 'took', type: 'float', unit: 'ms', ...plain },
      {
        ...plain,
        name: 'who',
        type: 'record',
        repeated: true,
        fields: [{ name: 'ip', type: 'string', ...plain }],
      },
    ]);
  });

  test('may be any, and are open without a word of the header', () => {
    expect(parse('any').query?.columns[0]).toMatchObject({ isFreeForm: true });
    expect(parse('any').query?.columns[0]).not.toHaveProperty('fields');
  });

  test.each([
    ['{ a: strin }', 'columns.x.fields.a: must be a type, one of string, integer'],
    ['{ a: { type: strin } }', 'columns.x.fields.a.type: must be one of string'],
    ['{ a: { type: string, tpe: 1 } }', 'columns.x.fields.a: unknown: tpe; did you mean type?'],
    ['{ a: { repeated: true } }', 'columns.x.fields.a.type: is missing; must be one of'],
    ['[a]', 'columns.x.fields: must be any, or the fields by name'],
    ['every', 'columns.x.fields: must be any, or the fields by name'],
    ['{}', 'columns.x.fields: must list at least one field'],
    ['{ a: { type: string, fields: { b: string } } }', 'columns.x.fields.a.fields: only a record has fields'],
    ['{ a_b: string, aB: string }', 'columns.x.fields.aB: is the same name as a_b in GraphQL: aB'],
    ['{ a: string, A: string }', 'columns.x.fields.A: is the same name as a in SQL'],
    [
      '{ a: { type: record, fields: { b: { type: record, fields: { c: 1 } } } } }',
      'columns.x.fields.a.fields.b.fields.c: must be a type',
    ],
  ])('%s is refused', (fields, message) => {
    const [problem, ...others] = messages(fields);
    expect(others).toEqual([]);
    expect(problem).toContain(`7 ${message}`);
  });

  test('belong to records only, at most fifteen levels', () => {
    expect(messages('{ a: string }', 'json')).toEqual([
      '7 columns.x.fields: only a record has fields, not json',
    ]);
    const nested = (levels: number): string =>
      levels === 0 ? 'string' : `{ type: record, fields: { a: ${nested(levels - 1)} } }`;
    expect(messages(`{ a: ${nested(13)} }`)).toEqual([]);
    expect(messages(`{ a: ${nested(15)} }`).join()).toMatch(/records may be 15 levels deep$/);
  });
});

test('every field has a name in GraphQL, and no two of a record the same', () => {
  const names = ['a_b', 'aB', 'cf-ray', '1x', '__typename', '_id', 'é', 'ß', 'a b', 'constructor', '$'];
  const graphql = graphqlNames(names.map((name) => ({ name })));
  expect(graphql).toEqual([
    ...['aB', 'aB_2', 'cfRay', '_1x', 'typename', 'id', 'field', 'field_2', 'aB_3', 'constructor', 'field_3'],
  ]);
  expect(names.filter((name, at) => isRenamed(name, graphql[at] ?? ''))).toEqual([
    ...['aB', 'cf-ray', '1x', 'é', 'ß', 'a b', '$'],
  ]);
});
