import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Config } from '../../config.ts';
import type { Rows } from '../../engine/engine.ts';
import { engines } from '../../engines/engines.ts';
import { StartError } from '../../errors.ts';
import type { Fixture } from './load-tests.ts';

/** Saved queries over the rows of a test. */
export interface OpenFixtures {
  run(bound: BoundQuery, now: Date): Promise<Rows>;
  /** True if approximate aggregates give the same values in every run. */
  readonly isExact: boolean;
  close(): Promise<void>;
}

interface FixtureOptions {
  readonly config: Config;
  readonly queries: readonly SavedQuery[];
  readonly tables: readonly TableSchema[];
  readonly fixtures: Readonly<Record<string, Fixture>>;
}

/**
 * Opens DuckDB in memory with the rows of a test, which are imported as those of a data folder are.
 *
 * @throws StartError if a row or a file cannot be imported
 */
export async function openFixtures({
  config,
  queries,
  tables,
  fixtures,
}: FixtureOptions): Promise<OpenFixtures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-fixtures-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const problems: string[] = [];
  let rejected = 0;
  let now = new Date();
  try {
    for (const [table, fixture] of Object.entries(fixtures)) writeFixture(dataDir, table, fixture);
    const engine = await engines.duckdb.open({
      catalog: { queries, tables },
      config: {
        ...config,
        engine: 'duckdb',
        dataDir,
        storeFile: ':memory:',
        dataRetentionDays: undefined,
        // Nothing changes any more.
        dataRefreshSeconds: 3600,
        duckdbThreads: 1,
        engineConcurrency: 2,
      },
      now: () => now,
      listener: {
        problem: (message) => void problems.push(message),
        news: () => {},
        imported: (report) => {
          rejected += report.rejected;
        },
      },
    });
    const close = async () => {
      await engine.close();
      remove();
    };
    if (rejected > 0 || problems.length > 0) {
      await close();
      throw new StartError(
        'The rows of a test cannot be imported',
        problems.map((message) => ({ message: inRowsOfTest(message, fixtures) })),
      );
    }
    return {
      isExact: true,
      run(bound, moment) {
        now = moment;
        return engine.run(bound, { signal: new AbortController().signal });
      },
      close,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Rows in the file of the tests are imported from a file that the author does not know. */
const inRowsOfTest = (message: string, fixtures: FixtureOptions['fixtures']): string =>
  message.replace(/^([\w-]+)\.ndjson:(\d+): /, (all, table: string, row: string) =>
    'rows' in (fixtures[table] ?? {}) ? `row ${row} of ${table}: ` : all,
  );

function writeFixture(dataDir: string, table: string, fixture: Fixture): void {
  if ('rows' in fixture) {
    const lines = fixture.rows.map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(join(dataDir, `${table}.ndjson`), lines.join(''));
    return;
  }
  const extension = /\.(?:ndjson|jsonl|json|csv|parquet)(?:\.(?:gz|zst))?$/i.exec(
    basename(fixture.file),
  )?.[0];
  if (extension === undefined || !existsSync(fixture.file)) {
    const message =
      extension === undefined
        ? 'must be NDJSON, JSON, CSV or Parquet'
        : 'does not exist; it is named as the rows of a table';
    throw new StartError('The rows of a test cannot be read', [{ file: fixture.file, message }]);
  }
  copyFileSync(fixture.file, join(dataDir, `${table}${extension}`));
}
