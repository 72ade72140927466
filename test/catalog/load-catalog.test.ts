import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { queryText } from '../support/queries.ts';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'tables'));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

const draft = (name: string, more = {}) =>
  queryText({ name, columns: { x: 'integer' }, sql: 'select 1 as x', ...more });
const unit = (values: string) => ({
  parameters: { u: `{ type: enum, enum: Unit, description: U., required: true, values: { ${values} } }` },
  sql: 'select 1 as x where @u != @u',
});

describe('the queries folder', () => {
  test('contains the three endpoints of the spec, with its limits', () => {
    const { queries, tables } = loadCatalog('queries');
    expect(queries.map(({ name, maxRows, caching }) => ({ name, maxRows, caching }))).toEqual([
      {
        name: 'functions.invocation-stats',
        maxRows: 1000,
        caching: { ttlSeconds: 900, warmingSeconds: 300, staleIfErrorSeconds: 900 },
      },
      { name: 'logs.all', maxRows: 1000, caching: 'disabled' },
      {
        name: 'usage.api-counts',
        maxRows: 1000,
        caching: { ttlSeconds: 900, warmingSeconds: 300, staleIfErrorSeconds: 900 },
      },
    ]);
    expect(tables).toHaveLength(9);
  });

  test('other files are ignored', () => {
    const folder = folderWith({ 'a.sql': draft('a') });
    mkdirSync(join(folder, 'folder.sql'));
    expect(loadCatalog(folder).queries).toHaveLength(1);
    const { queries } = loadCatalog(
      folderWith({ 'a.sql': draft('a'), 'README.md': '# Queries', 'b.sql.bak': '' }),
    );
    expect(queries.map(({ name }) => name)).toEqual(['a']);
  });

  test.each([
    ['an invalid name', { 'A b.sql': draft('a') }, /A b\.sql .*lowercase words/],
    [
      'a duplicate id',
      { 'a.sql': draft('same'), 'b.sql': draft('same') },
      /b\.sql:1 id \S+ is already used by .*a\.sql/,
    ],
    [
      'a duplicate GraphQL field',
      { 'a-b.sql': draft('1'), 'a.b.sql': draft('2') },
      /a\.b\.sql:1 has the same GraphQL field as .*a-b\.sql: aB/,
    ],
    [
      'a reserved GraphQL field',
      { 'endpoints.sql': draft('a') },
      /endpoints\.sql:1 the GraphQL field endpoints/,
    ],
    [
      'one enum with different values',
      {
        'a.sql': draft('a', unit('s: { name: S, description: S. }')),
        'b.sql': draft('b', unit('m: { name: M, description: M. }')),
      },
      /b\.sql:1 parameters\.u: enum Unit has different values/,
    ],
    [
      'an enum named as a type of the schema',
      { 'a.sql': draft('a', unit('s: { name: S, description: S. }')).replace('enum: Unit', 'enum: ARow') },
      /a\.sql:1 parameters\.u: ARow is another type of the schema/,
    ],
    ['no queries', {}, /contains no \*\.sql file/],
  ])('with %s is rejected', (_, files, expected) => {
    expect(() => loadCatalog(folderWith(files))).toThrow(expected);
  });

  test('that does not exist is rejected', () => {
    expect(() => loadCatalog('/nowhere')).toThrow(/QUERIES_DIR must name one/);
  });

  test('reports the problems of all files at once', () => {
    const folder = folderWith({ 'a.sql': 'select 1', 'b.sql': 'select 2', 'tables/t.json': 'no' });
    expect(() => loadCatalog(folder)).toThrow(/a\.sql:1 [\s\S]*b\.sql:1 [\s\S]*t\.json:1 /);
  });
});
