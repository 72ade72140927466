import { expect, test } from 'vitest';
import { partText, queryText } from '../../../../test/support/queries.ts';
import type { CatalogDiff } from '../../src/diff/compare-catalogs.ts';
import { compareFolders } from '../support/compare-folders.ts';

const reader = (name: string, sql: string) => queryText({ name, columns: { x: 'integer' }, sql });

const files = {
  'direct.sql': reader('direct', 'SELECT x FROM query.base'),
  'through.sql': reader('through', 'SELECT d.plus(x) AS x FROM query.middle'),
  'other.sql': reader('other', 'SELECT 1 AS x'),
  'base.sql': partText('SELECT x FROM t'),
  'middle.sql': partText('SELECT x FROM query.base JOIN d.v USING (x)'),
  'views/v.sql': 'CREATE VIEW d.v AS SELECT 1 AS x',
  'functions/math/f.sql': 'CREATE FUNCTION d.plus(n INT64) AS (n + 1)',
  'tables/t.json': '[{ "name": "x", "type": "INTEGER" }]',
};

const changesOf = ({ endpoints }: CatalogDiff) =>
  Object.fromEntries(endpoints.map(({ name, changes }) => [name, changes.map(({ kind }) => kind)]));

test.each<[string, keyof typeof files, string, Record<string, readonly string[]>]>([
  [
    'a part',
    'base.sql',
    partText('SELECT x FROM t WHERE x > 1'),
    { direct: ['sql-changed'], through: ['sql-changed'] },
  ],
  [
    'comments of a part',
    'base.sql',
    partText('SELECT x /* all */ FROM t'),
    { direct: ['sql-layout'], through: ['sql-layout'] },
  ],
  ['a view', 'views/v.sql', 'CREATE VIEW d.v AS SELECT 2 AS x', { through: ['sql-changed'] }],
  [
    'a function',
    'functions/math/f.sql',
    'CREATE FUNCTION d.plus(n INT64) AS (n + 2)',
    { through: ['sql-changed'] },
  ],
])('a change of %s is one of each endpoint that reads it', async (_, file, text, changes) => {
  expect(changesOf(await compareFolders(files, { ...files, [file]: text }))).toEqual(changes);
  expect(changesOf(await compareFolders(files, files))).toEqual({});
});

test('a change of a part names its file', async () => {
  const text = 'CREATE FUNCTION d.plus(n INT64) AS (n + 2)';
  const { endpoints } = await compareFolders(files, { ...files, 'functions/math/f.sql': text });
  const texts = endpoints.flatMap(({ changes }) => changes.map((change) => change.text));
  expect(texts).toEqual([expect.stringMatching(/^SQL changed in .*functions\/math\/f\.sql$/)]);
});

test('an endpoint whose part was wrong is not a new one', async () => {
  const diff = await compareFolders({ ...files, 'base.sql': partText('SELECT FROM') }, files);
  expect(diff.endpoints.flatMap(({ changes }) => changes.map(({ kind }) => kind))).not.toContain(
    'endpoint-added',
  );
  expect(diff.notes.join('\n')).toMatch(/direct[\s\S]*base\.sql/);
});
