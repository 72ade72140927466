import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { exampleValue, isRelative } from 'querygate/catalog';
import type { AnalyzedCatalog, EngineFactory, SavedQuery } from 'querygate';
import { hasOrder, readsClock, undefinedOrders } from '@querygate/bigquery-sql/analysis';
import { commandError } from '@querygate/bigquery-sql/command';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { testsFolder } from './load-tests.ts';
import type { Workspace } from '../workspace.ts';

/** A larger file of rows would make every run of the tests slow. */
const maxFileBytes = 10_000_000;

/**
 * Writes a first test of each named query that has none: over the rows of the data folder, with the examples of the
 * parameters. The rows that the query returns become the expected ones.
 *
 * @param names empty for all queries whose tables have rows in the data folder
 */
export async function writeFirstTests(
  catalog: AnalyzedCatalog,
  workspace: Workspace,
  names: readonly string[],
  sql: EngineFactory['sql'],
): Promise<void> {
  const folder = testsFolder(workspace.queriesDir);
  for (const query of catalog.queries.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const file = join(folder, `${query.name}.yaml`);
    if (existsSync(file) || existsSync(join(folder, `${query.name}.yml`))) continue;
    const tables = sql === 'native' ? [] : tablesRead(query, catalog);
    const files = await filesOf(tables, workspace);
    if (names.length === 0 && tables.some(({ name }) => !files.has(name))) continue;
    const text = await firstTest(query, tables, { files, folder, workspace });
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
    process.stdout.write(`wrote ${file}: ${rowsText(tables, files, workspace)}\n${orderText(query)}`);
  }
}

/** Of SQL that is not compiled, only the author knows which tables it reads. */
function tablesRead(query: SavedQuery, { analysisOf, tables }: AnalyzedCatalog): readonly TableSchema[] {
  let names: readonly string[] = [];
  try {
    names = analysisOf(query).compiled().tables;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
  return tables.filter(({ name }) => names.includes(name));
}

interface FirstTestOptions {
  readonly files: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly workspace: Workspace;
}

async function firstTest(
  query: SavedQuery,
  tables: readonly TableSchema[],
  { files, folder, workspace }: FirstTestOptions,
): Promise<string> {
  const parameters = query.parameters.flatMap((parameter) => {
    const value = exampleValue(parameter);
    return value === undefined ? [] : [[parameter.name, value] as const];
  });
  const isTimed = readsClock(query.sql) || isRelativeToNow(query);
  const now = isTimed ? await newestOf(tables, files, workspace) : undefined;
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

/**
 * The file with the rows of each table, if it is one, and not large.
 *
 * @throws ProblemError if there is no such folder
 */
async function filesOf(
  tables: readonly TableSchema[],
  { duckdb: { dataDir } }: Workspace,
): Promise<ReadonlyMap<string, string>> {
  // Buckets and lakes have a scheme.
  if (dataDir === undefined || /^\w{2,}:/.test(dataDir)) return new Map();
  if (!existsSync(dataDir))
    throw commandError(`DATA_DIR: got ${JSON.stringify(dataDir)}: there is no folder ${resolve(dataDir)}`);
  const { findDataFiles } = await import('querygate/data-files');
  const { tables: found } = await findDataFiles(dataDir, tables);
  return new Map(
    [...found].flatMap(([table, { files }]) => {
      const [file, another] = files;
      const isUsable = file !== undefined && another === undefined && file.size <= maxFileBytes;
      return isUsable ? [[table, file.path] as const] : [];
    }),
  );
}

/** True if a default or a bound of a parameter is relative to the time of the request. */
const isRelativeToNow = ({ parameters }: SavedQuery): boolean =>
  parameters.some((parameter) =>
    [parameter.default, parameter.min, parameter.max]
      .flat()
      .some((text) => text !== undefined && isRelative(parameter, text)),
  );

/** The time at which the rows were new: a query of the last day would return none of them today. */
async function newestOf(
  tables: readonly TableSchema[],
  files: ReadonlyMap<string, string>,
  workspace: Workspace,
): Promise<Date | undefined> {
  const { newestMoment } = await import('querygate/data-files');
  const moments: Date[] = [];
  for (const { name, fields } of tables) {
    const file = files.get(name);
    const day = /(?<!\d)(\d{4})(\d\d)(\d\d)$/.exec(name);
    if (file !== undefined && day !== null) moments.push(...noonOf(day));
    const moment = file === undefined ? undefined : await newestMoment(file, fields, workspace.duckdb);
    if (moment !== undefined) moments.push(moment);
  }
  return moments.toSorted((a, b) => b.getTime() - a.getTime())[0];
}

/** The day in the name of a table, as in `events_20260131`. */
function noonOf([, year, month, day]: RegExpExecArray): readonly Date[] {
  const noon = new Date(`${year}-${month}-${day}T12:00:00Z`);
  return Number.isNaN(noon.getTime()) ? [] : [noon];
}

/** Lists the columns that a test cannot compare, or not as they are. */
function orderText({ sql, columns }: SavedQuery): string {
  const { arrays, texts } = undefinedOrders(sql);
  const named = (names: Pick<ReadonlySet<string>, 'has'>) =>
    columns.map(({ name }) => name).filter((name) => names.has(name.toLowerCase()));
  const lines = [
    ...named(arrays).map(
      (name) => `    ${name}: ARRAY_AGG or ARRAY without ORDER BY: arrays are compared in any order\n`,
    ),
    ...named(texts).map(
      (name) => `    ${name}: STRING_AGG without ORDER BY: BigQuery may return another text; add ORDER BY\n`,
    ),
  ];
  return lines.join('');
}

function rowsText(
  tables: readonly TableSchema[],
  files: ReadonlyMap<string, string>,
  { duckdb: { dataDir } }: Workspace,
): string {
  const empty = tables.filter(({ name }) => !files.has(name)).map(({ name }) => name);
  if (empty.length === 0) return 'a first test, of the rows of the data folder';
  const start = `a first test; ${empty.join(', ')} ${empty.length === 1 ? 'has' : 'have'} no rows yet: add some`;
  if (dataDir === undefined) return `${start}, or run it with --data-dir <folder>`;
  return `${start}; in ${dataDir}, rows of a table are taken from a single file of at most ${maxFileBytes / 1_000_000} MB`;
}
