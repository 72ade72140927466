import { afterEach, describe, expect, test } from 'vitest';
import { openHistory } from '../../../src/catalog/folder/catalog-history.ts';
import type { CheckQueries } from '../../../src/catalog/folder/choose-version.ts';
import { CatalogError, loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { readFolder } from '../../../src/catalog/folder/read-folder.ts';
import { buildAnalyze } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { buildSchema } from '../../../src/http/graphql/schema/schema.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../../support/query-folder.ts';

let queries: QueryFolder;
afterEach(() => queries.close());

const table = (type: string) => JSON.stringify([{ name: 'c', type }]);
const acceptAll: CheckQueries = async () => new Map();

const open = (files: Record<string, string>) => {
  queries = makeQueryFolder(files);
  return openHistory(queries.folder, readFolder(queries.folder), () => new Date(0), buildAnalyze());
};

/** Proposes what the folder has now, and accepts it. */
const propose = async (history: ReturnType<typeof open>, check: CheckQueries = acceptAll) => {
  const { catalog, broken, accept } = await history.propose(readFolder(queries.folder), check);
  accept();
  return {
    sql: Object.fromEntries(catalog.queries.map(({ name, sql }) => [name, sql.trim()])),
    tables: Object.fromEntries(catalog.tables.map(({ name, fields }) => [name, fields[0]?.type])),
    broken: Object.fromEntries(
      broken.map(({ file, problems, isServed }) => [
        file.slice(queries.folder.length + 1),
        { isServed, message: problems[0]?.message },
      ]),
    ),
    catalog,
  };
};

test('an unchanged query stays the same object, also when a change is taken back', async () => {
  const history = open({ 'a.sql': queryText(), 'b.sql': queryText({ id: uuidOf(2) }) });
  const [a, b] = history.catalog.queries;
  queries.write('a.sql', queryText({ sql: 'SELECT 2 AS n' }));
  const changed = (await propose(history)).catalog;
  expect(changed.queries[0]).not.toBe(a);
  expect(changed.queries[1]).toBe(b);
  queries.write('a.sql', queryText({ sql: 'SELEC' }).replace('id:', 'idd:'));
  expect((await propose(history)).catalog.queries[0]).toBe(changed.queries[0]);
  queries.write('a.sql', queryText({ sql: 'SELECT 2 AS n' }));
  expect((await propose(history)).catalog.queries[0]).toBe(changed.queries[0]);
});

test('a query with a record follows the tables, and is refused as the file that it is', async () => {
  const files = {
    'a.sql': queryText({ sql: 'select t as r, 1 as n from t', header: '' }).replace(
      'columns:',
      'columns:\n  r: { type: record, description: R. }',
    ),
    'tables/t.json': table('STRING'),
  };
  queries = makeQueryFolder(files);
  const history = openHistory(queries.folder, readFolder(queries.folder), () => new Date(0), buildAnalyze());
  const fieldOf = (catalog = history.catalog) => catalog.queries[0]?.columns[0]?.fields?.[0]?.type;
  expect(fieldOf()).toBe('string');
  const [first] = history.catalog.queries;
  queries.write('tables/t.json', table('INTEGER'));
  const { catalog } = await propose(history);
  expect(fieldOf(catalog)).toBe('integer');
  expect(catalog.queries[0]).not.toBe(first);

  const refuseStrings: CheckQueries = async ({ queries: all }) =>
    new Map(all.flatMap((query) => (query.sql.includes('2 as n') ? [[query, [{ message: 'no' }]]] : [])));
  queries.write('a.sql', files['a.sql'].replace('1 as n', '2 as n'));
  const refused = await propose(history, refuseStrings);
  expect(refused.broken).toEqual({ 'a.sql': { isServed: true, message: 'no' } });
  expect(refused.catalog.queries[0]).toBe(catalog.queries[0]);
});

describe('a broken file', () => {
  test('keeps its last good version, and others are taken up', async () => {
    const history = open({ 'a.sql': queryText(), 'b.sql': queryText({ id: uuidOf(2) }) });
    queries.write('a.sql', 'no header');
    queries.write('b.sql', queryText({ id: uuidOf(2), sql: 'SELECT 3 AS n' }));
    queries.write('c.sql', 'no header');
    const { sql, broken } = await propose(history);
    expect(sql).toEqual({ a: 'SELECT 1 AS n', b: 'SELECT 3 AS n' });
    expect(broken).toEqual({
      'a.sql': { isServed: true, message: expect.stringContaining('YAML header') },
      'c.sql': { isServed: false, message: expect.stringContaining('YAML header') },
    });
    queries.remove('a.sql');
    expect((await propose(history)).sql).toEqual({ b: 'SELECT 3 AS n' });
  });

  test('is broken since it was found first', async () => {
    let now = 0;
    queries = makeQueryFolder({ 'a.sql': queryText() });
    const history = openHistory(
      queries.folder,
      readFolder(queries.folder),
      () => new Date(now),
      buildAnalyze(),
    );
    for (now of [1, 2, 3]) {
      queries.write('a.sql', `no header ${now}`);
      const { broken, accept } = await history.propose(readFolder(queries.folder), acceptAll);
      accept();
      expect(broken[0]?.since).toEqual(new Date(1));
    }
  });

  test('is the changed one of two in conflict, whatever their names', async () => {
    const history = open({ 'm.sql': queryText({ id: uuidOf(1), header: 'aliases: [other]\n' }) });
    queries.write('a.sql', queryText({ id: uuidOf(1) }));
    queries.write('other.sql', queryText({ id: uuidOf(3) }));
    queries.write('z.sql', queryText({ id: uuidOf(4) }));
    const { sql, broken } = await propose(history);
    expect(Object.keys(sql)).toEqual(['m', 'z']);
    expect(broken).toEqual({
      'a.sql': { isServed: false, message: expect.stringContaining('is already used by') },
      'other.sql': { isServed: false, message: expect.stringContaining('aliases: other is already') },
    });
    // The conflict ends, without a change of the file that was refused.
    queries.remove('m.sql');
    const after = await propose(history);
    expect(Object.keys(after.sql)).toEqual(['a', 'other', 'z']);
    expect(after.broken).toEqual({});
  });

  test('is one whose shadow or successor is gone; it is served as before, and so are other changes', async () => {
    const history = open({
      'orders.sql': queryText({ id: uuidOf(1), header: 'shadow: orders@2\n' }),
      'orders@2.sql': queryText({ id: uuidOf(2) }),
      'old.sql': queryText({ id: uuidOf(3), header: 'deprecated: { since: 2026-01-01, successor: new }\n' }),
      'new.sql': queryText({ id: uuidOf(4) }),
    });
    queries.remove('orders@2.sql');
    queries.remove('new.sql');
    queries.write('orders@3.sql', queryText({ id: uuidOf(5) }));
    queries.write('other.sql', queryText({ id: uuidOf(6) }));
    const broken = {
      'old.sql': { isServed: true, message: expect.stringContaining('no saved query is named new') },
      'orders.sql': {
        isServed: true,
        message: 'shadow: no saved query is named orders@2; the versions of orders are 1, 3',
      },
    };
    const first = await propose(history);
    expect(Object.keys(first.sql).sort()).toEqual(['old', 'orders', 'orders@3', 'other']);
    expect(first.broken).toEqual(broken);
    expect(buildSchema(first.catalog).getQueryType()).toBeDefined();
    expect(() => loadCatalog(queries.folder)).toThrow(CatalogError);
    queries.write('other.sql', queryText({ id: uuidOf(6), sql: 'SELECT 2 AS n' }));
    const second = await propose(history);
    expect([second.sql.other, second.broken]).toEqual(['SELECT 2 AS n', broken]);
    queries.write('orders@2.sql', queryText({ id: uuidOf(2) }));
    queries.write('new.sql', queryText({ id: uuidOf(4) }));
    expect((await propose(history)).broken).toEqual({});
  });

  test.each([
    ['a parameter of a type', 'enum: Date', 'beta', 'type: date'],
    ['a record', 'enum: BetaRow_Kind', 'beta', 'type: string'],
  ])('is the changed one whose %s takes the name of an enum that is served', async (_, of, name, type) => {
    const withParameter = (at: number, declared: string) =>
      queryText({ id: uuidOf(at), header: `parameters: { p: { ${declared}, description: P. } }\n` }).replace(
        'SELECT 1',
        "SELECT IF(@p = '', 1, 2)",
      );
    const values = 'values: { a: { name: A, description: a } }, default: a';
    const history = open({ 'alpha.sql': withParameter(1, `type: enum, ${of}, ${values}`) });
    queries.write(`${name}.sql`, withParameter(2, type));
    queries.write('gamma.sql', queryText({ id: uuidOf(3) }));
    const { catalog, broken } = await propose(history);
    expect(catalog.queries.map((one) => one.name)).toEqual(['alpha', 'gamma']);
    expect(broken).toEqual({
      [`${name}.sql`]: {
        isServed: false,
        message: expect.stringMatching(/^is in conflict with .*alpha\.sql: parameters\.p: /),
      },
    });
    expect(buildSchema(catalog).getType(of.slice('enum: '.length))).toBeDefined();
  });

  test('two files exchange their ids, and one is renamed', async () => {
    const history = open({ 'a.sql': queryText({ id: uuidOf(1) }), 'b.sql': queryText({ id: uuidOf(2) }) });
    queries.write('a.sql', queryText({ id: uuidOf(2) }));
    queries.write('b.sql', queryText({ id: uuidOf(1) }));
    const { catalog, broken } = await propose(history);
    expect(catalog.queries.map(({ id }) => id)).toEqual([uuidOf(2), uuidOf(1)]);
    queries.remove('a.sql');
    queries.write('c.sql', queryText({ id: uuidOf(2) }));
    expect(Object.keys((await propose(history)).sql)).toEqual(['b', 'c']);
    expect(broken).toEqual({});
  });
});

describe('tables', () => {
  /** As an engine: queries that read t need the type that they name. */
  const needsType: CheckQueries = async ({ queries, tables }) =>
    new Map(
      queries.flatMap((query) => {
        const [, type] = /FROM t -- (\w+)/.exec(query.sql) ?? [];
        const found = tables.find(({ name }) => name === 't')?.fields[0]?.type;
        return type === undefined || type === found
          ? []
          : [[query, [{ message: `needs ${type}, not ${found}` }]] as const];
      }),
    );
  const reader = (type: string) => queryText({ sql: `SELECT 1 AS n FROM t -- ${type}` });

  test('a table with which a served query cannot run waits for the query, in any order', async () => {
    const history = open({ 'a.sql': reader('INTEGER'), 'tables/t.json': table('INTEGER') });
    queries.write('tables/t.json', table('STRING'));
    const first = await propose(history, needsType);
    expect(first.tables).toEqual({ t: 'INTEGER' });
    expect(first.broken['tables/t.json']).toEqual({
      isServed: true,
      message: expect.stringMatching(/a\.sql cannot run with this version: needs INTEGER, not STRING/),
    });
    queries.write('a.sql', reader('STRING'));
    const second = await propose(history, needsType);
    expect([second.tables, second.broken]).toEqual([{ t: 'STRING' }, {}]);

    queries.write('a.sql', reader('FLOAT'));
    const third = await propose(history, needsType);
    expect(third.broken['a.sql']?.message).toBe('needs FLOAT, not STRING');
    queries.write('tables/t.json', table('FLOAT'));
    const fourth = await propose(history, needsType);
    expect([fourth.tables, fourth.broken]).toEqual([{ t: 'FLOAT' }, {}]);
  });

  test('a removed table stays while a query reads it; other files are taken up', async () => {
    const history = open({
      'a.sql': reader('INTEGER'),
      'b.sql': queryText({ id: uuidOf(2) }),
      'tables/t.json': table('INTEGER'),
      'tables/u.json': table('INTEGER'),
    });
    queries.remove('tables/t.json');
    queries.remove('tables/u.json');
    queries.write('b.sql', queryText({ id: uuidOf(2), sql: 'SELECT 2 AS n' }));
    const first = await propose(history, needsType);
    expect(first.tables).toEqual({ t: 'INTEGER' });
    expect(first.sql.b).toBe('SELECT 2 AS n');
    expect(first.broken['tables/t.json']?.message).toContain('a.sql cannot run without it');
    queries.remove('a.sql');
    const second = await propose(history, needsType);
    expect([second.tables, second.broken]).toEqual([{}, {}]);
  });

  test('a table of another spelling is refused, and a broken one keeps its version', async () => {
    const history = open({ 'a.sql': queryText(), 'tables/t.json': table('INTEGER') });
    queries.write('tables/T.json', table('STRING'));
    queries.write('tables/t.json', '[{');
    const { tables, broken } = await propose(history);
    expect(tables).toEqual({ t: 'INTEGER' });
    expect(Object.keys(broken)).toEqual(['tables/T.json', 'tables/t.json']);
  });
});
