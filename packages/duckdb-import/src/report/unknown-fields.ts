import { didYouMean, parseJson } from '@querygate/text';
import { columnsOf } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { ImportState } from '../import-state.ts';
import { readHeader } from '../read/csv-copy.ts';
import { openPlainLines } from '../read/plain-lines.ts';
import { splitLines } from '../read/read-text.ts';
import type { DataFile } from '../scan/data-files.ts';
import type { Change } from '../scan/find-changes.ts';
import { isRemote } from '../store/remote-path.ts';
import { parquetSql } from '../store/statements.ts';

/** The files of a table are usually written by one program: more of them are not looked at in one sync. */
const maxFiles = 10;

/** The first rows show the fields. */
const maxRows = 100;

/**
 * The new files whose fields are no columns: their rows are imported, without the values. CSV of which no column is one of the
 * table's is refused.
 */
export async function fieldProblems(
  state: ImportState,
  changed: readonly Change[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const added = changed.flatMap(({ file, knownEntry }) =>
    knownEntry === undefined && state.unreadable.problemOf(file) === undefined ? [file] : [],
  );
  for (const [name, files] of Map.groupBy(added, ({ table }) => table)) {
    const table = state.options.tables.all.find((one) => one.name === name);
    if (table === undefined) continue;
    for (const file of files.slice(0, maxFiles)) {
      const found = await fieldsIn(state, file).catch(() => undefined);
      const problem = found && fieldProblem(table, found);
      if (problem !== undefined) problems.push(`${file.name}: ${problem}`);
    }
  }
  return problems;
}

/** The names of fields, and those whose values are lists of objects. */
interface FoundFields {
  readonly names: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
}

async function fieldsIn(state: ImportState, file: DataFile): Promise<FoundFields | undefined> {
  if (isRemote(file.path)) return undefined;
  const names = new Set(Object.keys(file.partition));
  const lists = new Set<string>();
  if (file.format === 'parquet')
    for (const { name } of await columnsOf(state.connection, parquetSql([file.path]))) names.add(name);
  if (file.format === 'csv' && file.compression === undefined)
    for (const name of await readHeader(file.path)) names.add(name);
  if (file.format === 'parquet' || file.format === 'csv') return { names, lists };
  const { bytes } = await openPlainLines(file, 0, {
    connect: state.connectForCopies,
    fields: [],
    scratch: state.options.scratch,
  });
  let rows = 0;
  for await (const line of splitLines(bytes)) {
    const row = objectOf(line.toString());
    for (const [name, value] of Object.entries(row ?? {})) {
      if (value === null) continue;
      names.add(name);
      if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object'))
        lists.add(name);
    }
    rows += 1;
    if (rows === maxRows) break;
  }
  return { names, lists };
}

function objectOf(line: string): object | undefined {
  try {
    const row = parseJson(line);
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? row : undefined;
  } catch {
    return undefined;
  }
}

/** Why some or all fields of a file are not read. */
function fieldProblem(
  { fields, name: table }: TableSchema,
  { lists, names }: FoundFields,
): string | undefined {
  const columns = fields.map(({ name }) => name);
  const found = new Set([...names].map((name) => name.toLowerCase()));
  const isFound = (name: string) => found.has(name.toLowerCase());
  const unknown = [...names].filter(
    (name) => !columns.some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  const absent = columns.filter((name) => !isFound(name));
  const misspelt = unknown.flatMap((name) => {
    const meant = didYouMean(name, absent).replace('; did you mean', '');
    return meant === '' ? [] : [`${name}, did you mean${meant}`];
  });
  if (unknown.length > 0 && absent.length === columns.length) {
    const [list] = unknown.filter((name) => lists.has(name));
    const cure =
      list !== undefined && unknown.length <= maxNames
        ? `if the list ${list} has the rows, write its objects alone`
        : `${table} has ${shownNames(columns)}`;
    const nearest = misspelt.length > 0 ? `${misspelt.slice(0, maxNames).join(', ')}` : cure;
    return `none of its fields is a column of ${table}, so that all values are NULL: found ${shownNames(unknown)}; ${nearest}`;
  }
  if (misspelt.length === 0) return undefined;
  return `a field is no column of ${table}, so that its values are not read: ${misspelt.slice(0, maxNames).join(', ')}`;
}

const maxNames = 5;

const shownNames = (names: readonly string[]): string =>
  names.length > maxNames
    ? `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`
    : names.join(', ');
