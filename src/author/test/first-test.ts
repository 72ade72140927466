import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { exampleValue } from '../../catalog/binding/example-parameters.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { hasOrder, readsClock, tablesRead } from '@querygate/bigquery-sql/analysis';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Config } from '../../config.ts';
import type { EngineFactory } from '../../engine/engine-factory.ts';
import { testsFolder } from './load-tests.ts';

/** A larger file of rows would make every run of the tests slow. */
const maxFileBytes = 10_000_000;

/**
 * Writes a first test of each named query that has none: over the rows of the data folder, with the examples of the
 * parameters. What it expects is written with the rows that are returned.
 */
export async function writeFirstTests(
  catalog: Catalog,
  config: Config,
  names: readonly string[],
  sql: EngineFactory['sql'],
): Promise<void> {
  const folder = testsFolder(config.queriesDir);
  for (const query of catalog.queries.filter(({ name }) => names.includes(name))) {
    const file = join(folder, `${query.name}.yaml`);
    if (existsSync(file) || existsSync(join(folder, `${query.name}.yml`))) continue;
    // Of SQL that is not BigQuery's, only the author knows which tables it reads.
    const tables = sql === 'native' ? [] : tablesRead(query.sql, catalog.tables);
    const files = await filesOf(tables, config);
    const text = await firstTest(query, tables, { files, folder, config });
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
    process.stdout.write(`wrote ${file}: ${rowsText(tables, files)}\n`);
  }
}

interface FirstTestOptions {
  readonly files: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly config: Config;
}

async function firstTest(
  query: SavedQuery,
  tables: readonly TableSchema[],
  { files, folder, config }: FirstTestOptions,
): Promise<string> {
  const parameters = query.parameters.flatMap((parameter) => {
    const value = exampleValue(parameter);
    return value === undefined ? [] : [[parameter.name, value] as const];
  });
  const now = readsClock(query.sql) ? await newestOf(tables, files, config) : undefined;
  return stringify(
    {
      ...(now && { now: now.toISOString() }),
      tables: Object.fromEntries(
        tables.map(({ name }) => {
          const file = files.get(name);
          return [name, file === undefined ? [] : { file: relative(folder, file).replaceAll('\\', '/') }];
        }),
      ),
      tests: [
        {
          name: parameters.length === 0 ? 'all rows' : parameters.map(([, value]) => value).join(', '),
          ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
          // Engines return the rows in different orders.
          ...(!hasOrder(query.sql) && { expect: { order: 'any' } }),
        },
      ],
    },
    { lineWidth: 0 },
  );
}

/** The file with the rows of each table, if it is one, and not large. */
async function filesOf(
  tables: readonly TableSchema[],
  { duckdb: { dataDir } }: Config,
): Promise<ReadonlyMap<string, string>> {
  if (dataDir === undefined || !existsSync(dataDir)) return new Map();
  const { findDataFiles } = await import('../../engines/duckdb/import/scan/data-files.ts');
  const found = await findDataFiles(dataDir, tables);
  return new Map(
    [...found].flatMap(([table, { files }]) => {
      const [file, another] = files;
      const isUsable = file !== undefined && another === undefined && file.size <= maxFileBytes;
      return isUsable ? [[table, file.path] as const] : [];
    }),
  );
}

/** The time at which the rows were new: a query of the last day would return none of them today. */
async function newestOf(
  tables: readonly TableSchema[],
  files: ReadonlyMap<string, string>,
  config: Config,
): Promise<Date | undefined> {
  const { newestMoment } = await import('../../engines/duckdb/data-relation.ts');
  const moments: Date[] = [];
  for (const { name, fields } of tables) {
    const file = files.get(name);
    const moment = file === undefined ? undefined : await newestMoment(file, fields, config.duckdb);
    if (moment !== undefined) moments.push(moment);
  }
  return moments.toSorted((a, b) => b.getTime() - a.getTime())[0];
}

function rowsText(tables: readonly TableSchema[], files: ReadonlyMap<string, string>): string {
  const [first, ...others] = tables.filter(({ name }) => !files.has(name)).map(({ name }) => name);
  if (first === undefined) return 'a first test, of the rows of the data folder';
  const empty = others.length === 0 ? `${first} has` : `${[first, ...others].join(', ')} have`;
  return `a first test; ${empty} no rows yet: add some, or run it with --data-dir`;
}
