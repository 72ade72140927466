import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { repeatedNames } from '../../src/catalog-analysis/check-columns.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { prepareCatalog } from '../../src/engines/duckdb/prepare/prepare-catalog.ts';
import { column } from '../support/column.ts';
import { analyzed } from '../support/engine-host.ts';

const savedQuery = (sql: string, line: number): SavedQuery => ({
  id: '00000000-0000-4000-8000-000000000001',
  name: 'q',
  aliases: [],
  description: 'A query.',
  sql,
  source: { file: 'q.sql', line },
  maxRows: 10,
  caching: 'disabled',
  warm: [],
  labels: [],
  parameters: [],
  tenant: { parameter: 'project', pattern: undefined },
  tenantUnchecked: undefined,
  columns: [],
  querySandboxing: 'disabled',
});

/** A query on which the compiler fails in a way that no rule foresees. */
const failing = Object.defineProperty(savedQuery('', 1), 'sql', {
  get() {
    throw new RangeError('Maximum call stack size exceeded');
  },
});
const unsupported = savedQuery('select st_area(@project)', 20);
const message = /an error of Querygate: RangeError: Maximum call stack size exceeded/;

test('an unforeseen error is a problem of its query, and the others are prepared all the same', async () => {
  const database = await DuckDBInstance.create();
  const connection = await database.connect();
  try {
    const queries = [failing, unsupported];
    await expect(
      prepareCatalog(connection, { ...analyzed({ queries, tables: [] }), defineMacros: async () => {} }),
    ).rejects.toMatchObject({
      problems: [
        { file: 'q.sql', line: 1, message: expect.stringMatching(message) },
        { file: 'q.sql', line: 20, message: expect.stringContaining('ST_AREA') },
        { file: 'q.sql', line: 20, message: expect.stringContaining('column') },
      ],
    });
  } finally {
    connection.closeSync();
    database.closeSync();
  }
});

test('an unforeseen error is a problem of the tenant check, too', () => {
  const { queries, analysisOf } = analyzed({ queries: [failing, unsupported], tables: [] });
  expect(queries.flatMap((query) => analysisOf(query).tenantProblems())).toMatchObject([
    { file: 'q.sql', line: 1, message: expect.stringMatching(message) },
    { file: 'q.sql', line: 20 },
  ]);
});

test.each(['select 1 as n, 2 as N', 'select * from (select 1 as N), (select 2 as N)'])(
  'columns of one name, which BigQuery refuses, are a problem whatever the header declares: %s',
  (sql) => {
    const names = ['n', 'n_2', 'N_1'].map((name) => column(name, 'integer'));
    const query = { ...savedQuery(sql, 1), columns: names };
    const { analysisOf } = analyzed({ queries: [query], tables: [] });
    const text =
      'two columns of the result are named N: add AS and another name, or leave one out with EXCEPT';
    expect(() => analysisOf(query).compiled()).toThrow(
      expect.objectContaining({ problems: [{ file: 'q.sql', line: 1, message: text }] }),
    );
  },
);

test('each name of several columns is one problem, and a name is read once, however many columns there are', () => {
  let reads = 0;
  const columns = Array.from({ length: 1000 }, (_, at) => ({
    get name() {
      reads += 1;
      return at % 250 === 0 ? (['n', 'N'][(at / 250) % 2] ?? '') : `c${at}`;
    },
    column: '',
    type: { kind: 'scalar', name: 'INT64' } as const,
  }));
  expect(repeatedNames(columns)).toEqual([expect.stringContaining(' named N: ')]);
  expect(reads).toBeLessThan(2000);
});
