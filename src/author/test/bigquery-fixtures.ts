import { existsSync, readFileSync } from 'node:fs';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { parseJson, type Revive } from '@querygate/bigquery-sql/text';
import type { Config } from '../../config.ts';
import { withFixtures } from '../../engines/bigquery/with-fixtures.ts';
import { engines } from '../../engines/engines.ts';
import { StartError } from '../../errors.ts';
import type { Fixture, FixtureRow } from './load-tests.ts';
import type { OpenFixtures } from './open-fixtures.ts';

interface BigqueryFixtureOptions {
  readonly config: Config;
  readonly tables: readonly TableSchema[];
  readonly fixtures: Readonly<Record<string, Fixture>>;
}

/**
 * Runs queries on BigQuery over the rows of a test. The rows are part of each query: no table is created, changed or read.
 *
 * @throws StartError if the rows cannot be read
 */
export async function openBigqueryFixtures({
  config,
  tables,
  fixtures,
}: BigqueryFixtureOptions): Promise<OpenFixtures> {
  const rows = Object.fromEntries(
    Object.entries(fixtures).map(([table, fixture]) => [table, rowsOf(fixture)]),
  );
  const engine = await engines.bigquery.open({
    catalog: { queries: [], tables: [] },
    config: { ...config, bigquery: { ...config.bigquery, startCheck: 'off' } },
    now: () => new Date(),
    listener: { problem: () => {}, news: () => {} },
  });
  return {
    isExact: false,
    async run(bound, now) {
      const sql = withFixtures({ ...bound.query, tables, rows, now });
      const query = { ...bound.query, sql };
      return engine.run({ ...bound, query }, { signal: new AbortController().signal });
    },
    close: () => engine.close(),
  };
}

function rowsOf(fixture: Fixture): readonly FixtureRow[] {
  if ('rows' in fixture) return fixture.rows;
  const { file } = fixture;
  const fail = (message: string) => new StartError('The rows of a test cannot be read', [{ file, message }]);
  if (!/\.(?:ndjson|jsonl)$/i.test(file)) throw fail('must be NDJSON in tests that run on BigQuery');
  if (!existsSync(file)) throw fail('does not exist; it is named as the rows of a table');
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      try {
        return [parseJson(line, exactInteger) as FixtureRow];
      } catch {
        throw fail(`line ${at + 1} is not valid JSON`);
      }
    });
}

/** Integers that a number cannot hold keep their digits. */
const exactInteger: Revive = (value, source) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined
    ? JSON.rawJSON(source)
    : value;
