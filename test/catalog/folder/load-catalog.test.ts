import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CatalogError, loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { listFolder } from '../../../src/catalog/folder/read-folder.ts';
import { StartError } from '../../../src/errors.ts';
import { queryText } from '../../support/queries.ts';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'tables'));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

function problemsOf(folder: string): StartError['problems'] {
  try {
    loadCatalog(folder);
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
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

  test('a link to a folder is followed, but not in a circle', () => {
    const folder = folderWith({ 'a.sql': draft('a') });
    const views = join(folder, 'views');
    mkdirSync(join(views, 'inner'), { recursive: true });
    writeFileSync(join(views, 'inner', 'v.sql'), '');
    symlinkSync('inner', join(views, 'linked'));
    symlinkSync('..', join(views, 'inner', 'up'));
    expect(listFolder(folder)).toEqual(['a.sql', 'views/inner/v.sql', 'views/linked/v.sql']);
  });

  test.runIf(process.platform === 'linux')(
    'a folder that vanishes while it is read is no lack of views',
    () => {
      const folder = folderWith({ 'a.sql': draft('a') });
      const [views, vanishing] = [join(folder, 'views'), join(folder, 'vanishing')];
      for (const one of [views, vanishing]) mkdirSync(one);
      writeFileSync(join(views, 'v.sql'), '');
      const open = openSync(vanishing, 'r');
      onTestFinished(() => closeSync(open));
      rmdirSync(vanishing);
      // Its link is still one to a folder.
      symlinkSync(`/proc/self/fd/${open}`, join(views, 'inner'));
      expect(() => listFolder(folder)).toThrow('ENOENT');
    },
  );

  test('other files are ignored', () => {
    const folder = folderWith({ 'a.sql': draft('a') });
    mkdirSync(join(folder, 'folder.sql'));
    expect(loadCatalog(folder).queries).toHaveLength(1);
    const { queries } = loadCatalog(
      folderWith({ 'a.sql': draft('a'), 'README.md': '# Queries', 'b.sql.bak': '' }),
    );
    expect(queries.map(({ name }) => name)).toEqual(['a']);
  });

  test('each file that is not UTF-8 is refused at its line', () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1');
    const folder = folderWith({ 'utf-16.sql': '' });
    for (const inner of ['views', 'functions']) mkdirSync(join(folder, inner));
    for (const [file, bytes] of Object.entries({
      'header.sql': latin1(draft('a').replace('description: About a', 'description: Beträge')),
      'literal.sql': latin1(draft('b', { columns: { x: 'string' }, sql: "select 'Zürich' as x" })),
      'utf-16.sql': Buffer.from(draft('c'), 'utf16le'),
      'views/v.sql': latin1("CREATE VIEW v AS\nSELECT 'Zürich' AS x;"),
      'functions/f.sql': latin1("CREATE FUNCTION ds.f() AS ('Zürich');"),
      'tables/t.json': latin1('[{ "name": "a", "type": "STRING", "description": "Straße" }]'),
    }))
      writeFileSync(join(folder, file), bytes);
    const problems = problemsOf(folder).map(
      ({ file = '', line, message }) => `${file.slice(folder.length + 1)}:${line} ${message}`,
    );
    const latin = 'must be UTF-8: iconv -f latin1 -t utf-8';
    expect(problems.sort()).toEqual([
      `functions/f.sql:1 ${latin}`,
      `header.sql:3 ${latin}`,
      `literal.sql:9 ${latin}`,
      `tables/t.json:1 ${latin}`,
      'utf-16.sql:1 must be UTF-8: iconv -f utf-16 -t utf-8',
      `views/v.sql:2 ${latin}`,
    ]);
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
    [
      'a name whose types are those of SQL over a query',
      { 'sql.sql': draft('a') },
      /sql\.sql:1 its type SqlResult is another type of the schema; choose another name/,
    ],
    [
      'an alias that is the name of a later file',
      { 'a.sql': draft('a', { aliases: ['x', 'b'] }), 'b.sql': draft('b') },
      /a\.sql:5 aliases: b is already the name of .*b\.sql/,
    ],
    [
      'an alias that is a UUID of another file, in upper case',
      {
        'a.sql': draft('a', { aliases: ['00000000-0000-4000-8000-AA0000000000'.replace('AA', '62')] }),
        'b.sql': draft('b'),
      },
      /a\.sql:4 aliases: 00000000-0000-4000-8000-620000000000 is already the id of .*b\.sql/,
    ],
    [
      'an alias of two files',
      { 'a.sql': draft('a', { aliases: ['old'] }), 'b.sql': draft('b', { aliases: ['old'] }) },
      /b\.sql:4 aliases: old is already an alias of .*a\.sql/,
    ],
    [
      'an alias that is given twice, as UUIDs in two cases',
      {
        'a.sql': draft('a', {
          aliases: ['9DD9A6F6-8e9b-4fa4-b682-4f2f5cd99da3', '9dd9a6f6-8e9b-4fa4-b682-4f2f5cd99da3'],
        }),
      },
      /a\.sql:5 aliases: 9dd9a6f6-\S+ is already an alias of .*a\.sql/,
    ],
    [
      'an alias that is its own name',
      { 'a.sql': draft('a', { aliases: ['a'] }) },
      /a\.sql:4 aliases: a is already the name of .*a\.sql/,
    ],
    [
      'an id that is the name of another file',
      {
        'b.sql': draft('b').replace(/^id: .*/m, 'id: A41e8b72-93da-4d05-b6f1-5a2e7f80c9d4'),
        'a41e8b72-93da-4d05-b6f1-5a2e7f80c9d4.sql': draft('a'),
      },
      /b\.sql:1 id a41e8b72-\S+ is already the name of .*a41e8b72/,
    ],
    ['no queries', {}, /contains no \*\.sql file/],
  ])('with %s is rejected', (_, files, expected) => {
    expect(() => loadCatalog(folderWith(files))).toThrow(expected);
  });

  test('may share an enum whose values have other spellings in each file', () => {
    const files = {
      'a.sql': draft('a', unit('s: { name: S, description: S., also: [sec] }')),
      'b.sql': draft('b', unit('s: { name: S, description: S. }')),
    };
    expect(loadCatalog(folderWith(files)).queries).toHaveLength(2);
  });

  test('that does not exist is rejected', () => {
    expect(() => loadCatalog('/proc/nowhere')).toThrow(/is not a readable folder of saved queries/);
  });

  test('problems of its files are a CatalogError with the valid rest; other problems are only a StartError', () => {
    const errorOf = (folder: string) => {
      try {
        return loadCatalog(folder);
      } catch (error) {
        return error;
      }
    };
    const broken = errorOf(folderWith({ 'a.sql': 'select 1' }));
    expect([broken instanceof CatalogError, broken instanceof StartError]).toEqual([true, true]);
    const empty = errorOf(folderWith({}));
    expect([empty instanceof CatalogError, empty instanceof StartError]).toEqual([false, true]);
  });

  test('reports the problems of all files at once', () => {
    const folder = folderWith({ 'a.sql': 'select 1', 'b.sql': 'select 2', 'tables/t.json': 'no' });
    expect(() => loadCatalog(folder)).toThrow(/a\.sql:1 [\s\S]*b\.sql:1 [\s\S]*t\.json:1:\d+ /);
  });
});
