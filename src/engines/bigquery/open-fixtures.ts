import { existsSync, readFileSync } from 'node:fs';
import type { Engine } from '../../engine/engine.ts';
import type { EngineHost, FixtureRows, Fixtures } from '../../engine/engine-factory.ts';
import { StartError } from '../../errors.ts';
import { parseJson, type Revive } from '@querygate/bigquery-sql/text/parse-json';
import type { BigqueryOptions } from './bigquery-options.ts';
import { openBigquery } from './open-bigquery.ts';
import { withFixtures } from './with-fixtures.ts';

/**
 * Runs queries on BigQuery over the rows of a test. The rows are part of each query: no table is created, changed or read.
 *
 * @throws StartError if the rows cannot be read
 */
export async function openFixtures(
  host: EngineHost,
  fixtures: Fixtures,
  options: BigqueryOptions,
): Promise<Engine> {
  const rows = Object.fromEntries(
    Object.entries(fixtures).map(([table, fixture]) => [table, rowsOf(fixture)]),
  );
  const { catalog, now } = host;
  const events = { problem: () => {}, news: () => {} };
  const engine = await openBigquery(
    { ...host, catalog: { queries: [], tables: [] }, events },
    { ...options, startCheck: 'off' },
  );
  return {
    ...engine,
    async run(bound, runOptions) {
      const sql = withFixtures({ ...bound.query, tables: catalog.tables, rows, now: now() });
      return engine.run({ ...bound, query: { ...bound.query, sql } }, runOptions);
    },
  };
}

function rowsOf(fixture: FixtureRows) {
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
        return [parseJson(line, exactInteger) as Readonly<Record<string, unknown>>];
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
