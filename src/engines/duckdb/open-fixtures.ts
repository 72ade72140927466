import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Engine } from '../../engine-contract/engine.ts';
import type { EngineHost, FixtureRows, Fixtures } from '../../engine-contract/engine-factory.ts';
import { StartError } from '../../errors.ts';
import type { DuckdbSettings } from './duckdb-options.ts';
import { openDuckdb } from './open-duckdb.ts';

/**
 * Opens DuckDB in memory with the rows of a test, which are imported as those of a data folder are.
 *
 * @throws StartError if a row or a file cannot be imported
 */
export async function openFixtures(
  host: EngineHost,
  fixtures: Fixtures,
  settings: DuckdbSettings,
): Promise<Engine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-fixtures-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const problems: string[] = [];
  let rejected = 0;
  try {
    for (const [table, fixture] of Object.entries(fixtures)) writeFixture(dataDir, table, fixture);
    const engine = await openDuckdb(
      {
        ...host,
        limits: { ...host.limits, concurrency: 2 },
        events: {
          problem: (message) => void problems.push(message),
          news: () => {},
          imported: (report) => {
            rejected += report.rejected;
          },
        },
      },
      {
        ...settings,
        dataDir,
        storeFile: ':memory:',
        retentionDays: undefined,
        // Nothing changes any more.
        refreshSeconds: 3600,
        threads: 1,
        isolate: false,
      },
    );
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
    return { ...engine, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Rows in the file of the tests are imported from a file that the author does not know. */
const inRowsOfTest = (message: string, fixtures: Fixtures): string =>
  message.replace(/^([\w-]+)\.ndjson:(\d+): /, (all, table: string, row: string) =>
    'rows' in (fixtures[table] ?? {}) ? `row ${row} of ${table}: ` : all,
  );

function writeFixture(dataDir: string, table: string, fixture: FixtureRows): void {
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
