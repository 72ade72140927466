import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { skipsEmulator, startEmulator } from './bigquery-emulator.ts';
import { forms, now, openTestApp, type Rows, type TestApp } from './test-app.ts';

/** Opens the whole service over the given rows, on one engine. */
export type OpenApp = (tables: Rows) => Promise<TestApp>;

/** Runs the same tests on every engine; on BigQuery's emulator if it is installed. */
export function describeOnEngines(
  title: string,
  tests: (open: OpenApp, engine: 'duckdb' | 'emulator') => void,
): void {
  describe(`${title}, on duckdb`, () => tests(openTestApp, 'duckdb'));
  // The emulator has no other form of the tables.
  describe.skipIf(skipsEmulator || forms.general)(`${title}, on bigquery-emulator`, () =>
    tests(openOnEmulator, 'emulator'),
  );
}

/** Opens the whole service over an emulator of its own with the given rows. */
export async function openOnEmulator(tables: Rows): Promise<TestApp> {
  const emulator = await startEmulator();
  const queries = queriesAt(now);
  const app = await openTestApp(
    {},
    {
      ENGINE: 'bigquery',
      QUERIES_DIR: queries,
      BIGQUERY_PROJECT: emulator.project,
      BIGQUERY_DATASET: await emulator.seed(tables),
      BIGQUERY_API_ENDPOINT: emulator.endpoint,
      BIGQUERY_START_CHECK: 'off',
    },
  );
  return {
    ...app,
    async close() {
      await app.close();
      await emulator.close();
      rmSync(queries, { recursive: true });
    },
  };
}

/**
 * Copies the shipped queries with a fixed time in place of CURRENT_TIMESTAMP(): BigQuery's clock cannot be set.
 *
 * @returns the folder
 */
export function queriesAt(moment: Date): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.sql'))) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/current_timestamp\(\)/gi, `timestamp '${moment.toISOString()}'`));
  }
  return folder;
}
