import { afterEach, expect, test } from 'vitest';
import { openHistory } from '../../../src/catalog/folder/catalog-history.ts';
import { readFolder } from '../../../src/catalog/folder/read-folder.ts';
import { buildAnalyze } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { partText } from '../../support/queries.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../../support/query-folder.ts';

let queries: QueryFolder;
afterEach(() => queries.close());

const open = (files: Record<string, string>) => {
  queries = makeQueryFolder(files);
  return openHistory(queries.folder, readFolder(queries.folder), () => new Date(0), buildAnalyze());
};

const propose = async (history: ReturnType<typeof open>) => {
  const { catalog, broken, accept } = await history.propose(
    readFolder(queries.folder),
    async () => new Map(),
  );
  accept();
  const [reader, other] = catalog.queries;
  return {
    reader,
    other,
    sql: reader?.sql.replace(/\s+/g, ' '),
    broken: Object.fromEntries(
      broken.map(({ file, problems, isServed }) => [
        file.slice(queries.folder.length + 1),
        `${isServed} ${problems[0]?.file?.slice(queries.folder.length + 1)} ${problems[0]?.message}`,
      ]),
    ),
  };
};

const files = {
  'a.sql': queryText({ sql: 'SELECT n FROM query.middle' }),
  'b.sql': queryText({ id: uuidOf(2), sql: 'SELECT 1 AS n -- no query' }),
  'base.sql': partText('SELECT 1 AS n'),
  'middle.sql': partText('SELECT n FROM query.base'),
};

test('a changed part changes the queries that read it, also through others, and no others', async () => {
  const history = open(files);
  const [reader, other] = history.catalog.queries;
  queries.write('base.sql', partText('SELECT 2 AS n'));
  const changed = await propose(history);
  expect(changed.sql).toContain('part_base AS ( SELECT 2 AS n )');
  expect(changed.reader).not.toBe(reader);
  expect(changed.other).toBe(other);
  expect((await propose(history)).reader).toBe(changed.reader);
});

test('a change that is taken back before it is served leaves the same object', async () => {
  const history = open(files);
  const [reader] = history.catalog.queries;
  queries.write('base.sql', partText('SELECT FROM'));
  const broken = await propose(history);
  expect(broken.reader).toBe(reader);
  expect(Object.keys(broken.broken)).toEqual(['base.sql']);
  queries.write('base.sql', files['base.sql']);
  expect(await propose(history)).toMatchObject({ broken: {} });
  expect(history.catalog.queries[0]).toBe(reader);
});

test('a broken part keeps its last good version for its readers, also for those that change', async () => {
  const history = open(files);
  queries.write('base.sql', partText('SELECT FROM'));
  queries.write('a.sql', queryText({ sql: 'SELECT n + 1 AS n FROM query.middle' }));
  const { sql, broken } = await propose(history);
  expect(sql).toBe(
    'WITH part_base AS ( SELECT 1 AS n ), part_middle AS ( SELECT n FROM part_base AS `base` ) SELECT n + 1 AS n FROM part_middle AS `middle` ',
  );
  expect(broken).toEqual({ 'base.sql': expect.stringMatching(/^true base\.sql expected/) });
});

test('readers of a part that is removed keep their last good version', async () => {
  const history = open(files);
  const [reader] = history.catalog.queries;
  queries.remove('base.sql');
  const removed = await propose(history);
  expect(removed.reader).toBe(reader);
  const message = expect.stringMatching(/^true middle\.sql no saved query is named base/);
  expect(removed.broken).toEqual({ 'middle.sql': message, 'a.sql': message });
});

test('a part becomes a query that is served, and the other way round', async () => {
  const history = open(files);
  queries.write('base.sql', queryText({ id: uuidOf(3), sql: 'SELECT 1 AS n' }));
  await propose(history);
  expect(history.catalog.queries.map(({ name }) => name)).toEqual(['a', 'b', 'base']);
  queries.write('base.sql', files['base.sql']);
  expect((await propose(history)).broken).toEqual({});
  expect(history.catalog.queries.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('a part that appears mends its readers', async () => {
  const history = open(files);
  queries.write('b.sql', queryText({ id: uuidOf(2), sql: 'SELECT n FROM query.later' }));
  expect(Object.keys((await propose(history)).broken)).toEqual(['b.sql']);
  queries.write('later.sql', partText('SELECT 7 AS n'));
  const { other, broken } = await propose(history);
  expect(broken).toEqual({});
  expect(other?.sql).toContain('SELECT 7 AS n');
});

test('views and functions are followed as parts are', async () => {
  const history = open({
    ...files,
    'a.sql': queryText({ sql: 'SELECT d.plus(n) AS n FROM d.v' }),
    'views/v.sql': 'CREATE VIEW d.v AS SELECT 1 AS n',
    'functions/f.sql': 'CREATE FUNCTION d.plus(n INT64) AS (n + 1)',
  });
  const [reader, other] = history.catalog.queries;
  queries.write('views/v.sql', 'CREATE VIEW d.v AS SELECT 2 AS n');
  expect(await propose(history)).toMatchObject({ broken: {}, other: { name: 'b' } });
  expect(history.catalog.queries[0]).not.toBe(reader);
  expect(history.catalog.queries[1]).toBe(other);
  queries.write('functions/f.sql', 'CREATE FUNCTION d.plus(n INT64) AS (');
  expect((await propose(history)).broken).toEqual({
    'functions/f.sql': expect.stringMatching(/^true functions\/f.sql/),
  });
  expect(history.catalog.queries[0]?.sql).toContain('AS (n + 1);');
});

test('a query of INFORMATION_SCHEMA follows all views, and no other query does', async () => {
  const history = open({
    ...files,
    'a.sql': queryText({ sql: 'SELECT 1 AS n FROM INFORMATION_SCHEMA.TABLES' }),
  });
  const [, other] = history.catalog.queries;
  const listed = () => history.catalog.queries[0]?.listedViews;
  expect(listed()).toBeUndefined();
  queries.write('views/v.sql', 'CREATE VIEW d.v AS SELECT 2 AS n');
  expect((await propose(history)).other).toBe(other);
  expect(listed()).toEqual([{ name: 'd.v', sql: 'SELECT 2 AS n' }]);
  queries.write('views/v.sql', 'CREATE VIEW d.w AS SELECT FROM');
  expect((await propose(history)).broken).toEqual({ 'views/v.sql': expect.stringMatching(/^true /) });
  expect(listed()).toMatchObject([{ name: 'd.v' }]);
  queries.remove('views/v.sql');
  await propose(history);
  expect(listed()).toBeUndefined();
});

test.each([
  [
    'a function',
    'SELECT d.one() AS n',
    { 'functions/m.sql': 'CREATE FUNCTION d.one() AS (1)' },
    { 'functions/a.sql': 'CREATE FUNCTION d.One() AS (1001)' },
    'functions/m.sql',
  ],
  [
    'a view, beside others of its file',
    'SELECT n FROM d.v',
    { 'views/m.sql': 'CREATE VIEW d.v AS SELECT 1 AS n', 'views/z.sql': 'CREATE VIEW d.w AS SELECT 5 AS n' },
    { 'views/a.sql': 'CREATE VIEW d.u AS SELECT 6 AS n; CREATE VIEW d.v AS SELECT 1001 AS n' },
    'views/m.sql',
  ],
  [
    'a view instead of a table',
    'SELECT n FROM v',
    { 'tables/v.json': '[{"name": "n", "type": "INT64"}]' },
    { 'views/a.sql': 'CREATE VIEW v AS SELECT 1001 AS n' },
    'tables/v.json',
  ],
])(
  '%s that is defined again in another file stays the one that is served',
  async (_, sql, own, added, first) => {
    const history = open({ 'a.sql': queryText({ sql }), ...own });
    const [reader] = history.catalog.queries;
    const [path = '', text = ''] = Object.entries(added)[0] ?? [];
    queries.write(path, text);
    const message = expect.stringMatching(`^false ${path} .* (?:defined in|table of) .*${first}`);
    // The second time, both have been there before.
    for (const comment of ['', ' -- changed']) {
      queries.write(path, text + comment);
      expect((await propose(history)).broken).toEqual({ [path]: message });
      expect(history.catalog.queries[0]?.sql).toBe(reader?.sql);
    }
    queries.remove(first);
    await propose(history);
    expect(history.catalog.queries[0]?.sql).toContain('1001');
  },
);

test('a file that defines a name of another file keeps its last good version', async () => {
  const history = open({
    'a.sql': queryText({ sql: 'SELECT d.one() + d.two() AS n' }),
    'functions/a.sql': 'CREATE FUNCTION d.two() AS (2)',
    'functions/m.sql': 'CREATE FUNCTION d.one() AS (1)',
  });
  const [reader] = history.catalog.queries;
  queries.write('functions/a.sql', 'CREATE FUNCTION d.one() AS (7); CREATE FUNCTION d.two() AS (8)');
  const message = expect.stringMatching(/^true functions\/a\.sql d\.one is already defined in .*m\.sql/);
  for (const _ of [1, 2]) {
    expect((await propose(history)).broken).toEqual({ 'functions/a.sql': message });
    expect(history.catalog.queries[0]?.sql).toBe(reader?.sql);
  }
  queries.write('functions/m.sql', 'CREATE FUNCTION d.three() AS (3)');
  expect(await propose(history)).toMatchObject({ broken: {}, sql: expect.stringContaining('AS (7)') });
});

test('a view that was there before a table of its name is still read', async () => {
  const history = open({
    'a.sql': queryText({ sql: 'SELECT n FROM v' }),
    'views/v.sql': 'CREATE VIEW v AS SELECT 1 AS n',
  });
  const [reader] = history.catalog.queries;
  queries.write('tables/v.json', '[{"name": "n", "type": "INT64"}]');
  const message = expect.stringMatching(/^true views\/v\.sql v is also the table of .*tables\/v\.json/);
  for (const _ of [1, 2]) {
    expect((await propose(history)).broken).toEqual({ 'views/v.sql': message });
    expect(history.catalog.queries[0]?.sql).toBe(reader?.sql);
  }
});
