import { didYouMean } from '@querygate/text';
import { type DataFile, type DataFolder, tableOf, type UnreadFile } from '../scan/data-files.ts';
import type { ManifestEntry } from '../store/manifest.ts';

/** Possible mistakes in a data folder: tables without rows, and files that no table reads. */
export interface ImportWarnings {
  /** How many tables have no rows, and no problem that says why. */
  readonly emptyTables: number;
  /** How many tables have files that cannot be read. */
  readonly unreadableTables: number;
  /** How many files and folders with rows are named after no table. */
  readonly otherFiles: number;
  readonly warnings: string[];
}

/** The rows and files that the store lacks. */
interface Unread {
  /** Why files of a table are not read, by its name. */
  readonly problems: ReadonlyMap<string, string>;
  /** Files that are to be imported. */
  readonly waiting: readonly DataFile[];
}

/** Further names are only counted. */
const maxNames = 5;

/**
 * @param names of the declared tables
 * @param entries of the files that are imported
 */
export function importWarnings(
  { others }: Pick<DataFolder, 'others'>,
  names: readonly string[],
  entries: Iterable<ManifestEntry>,
  { problems, waiting }: Unread,
): ImportWarnings {
  const rows = new Map<string, number>();
  for (const { table, rows: count } of entries) rows.set(table, (rows.get(table) ?? 0) + count);
  const waits = new Set(waiting.map(({ table }) => table));
  const empty = names.filter((name) => !rows.get(name) && !problems.has(name) && !waits.has(name));
  const failing = names.filter((name) => waits.has(name) && problems.has(name));
  const shown = empty.map((name) => `${name} (${rows.has(name) ? 'no rows in its files' : 'no files'})`);
  const unread = others.slice(0, maxNames).map((name) => unreadName(name, names));
  const more = others.length - unread.length;
  const warnings = [...unread];
  if (more > 0)
    warnings.push(
      `${more} more files and folders of the data folder are not read, because no table has their names`,
    );
  if (failing.length > 0)
    warnings.push(`Tables whose queries fail until all their files are imported: ${listedNames(failing)}`);
  if (shown.length > 0) warnings.push(`Tables without rows: ${listedNames(shown)}`);
  const counts = { emptyTables: empty.length, unreadableTables: problems.size, otherFiles: others.length };
  return { ...counts, warnings };
}

/** Why a file or folder of the data folder is not read, and what would be right. */
function unreadName(name: string, names: readonly string[]): string {
  const table = tableOf(name);
  // Copies and parts of a table's files: `orders (1).csv`, `orders-2026.csv`.
  const isName = /^[\w-]+$/.test(table);
  const [, stem = table] = (isName ? /^(\w+?)[^a-z]*$/i : /^([\w-]*\w)/).exec(table) ?? [];
  const ofTable =
    names.find((one) => one.toLowerCase() === stem.toLowerCase()) ?? (isName ? undefined : stem);
  const shown = isName ? table : JSON.stringify(table);
  const start = `${name} is not read, because no table is named ${shown}`;
  if (ofTable !== undefined && /^[\w-]+$/.test(ofTable)) {
    const moved = `move it to the folder ${ofTable}/ if its rows are those of the table ${ofTable}`;
    return names.includes(ofTable)
      ? `${start}; ${moved}`
      : `${start}; ${moved}, which querygate tables add ${ofTable} declares`;
  }
  const cure = isName
    ? `querygate tables add ${table} declares one`
    : 'name it after a table, with letters, digits, _ and - only';
  return `${start}${didYouMean(table, names) || `; ${cure}`}`;
}

/** The files of tables that are left out. */
export const leftOutWarnings = ({ tables }: Pick<DataFolder, 'tables'>): readonly string[] =>
  unreadWarnings([...tables.values()].flatMap(({ unread = [] }) => unread));

/** The names of files that are read by other names. */
export const otherNameWarnings = ({ tables }: Pick<DataFolder, 'tables'>): readonly string[] =>
  unreadWarnings(
    [...tables.values()].flatMap(({ otherNames = [] }) =>
      otherNames.map(({ name, of }) => ({ name, reason: `it is another name of ${of.name}` })),
    ),
  );

function unreadWarnings([first, ...more]: readonly UnreadFile[]): readonly string[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : `; ${more.length} more like it are not read either`;
  return [`${first.name} is not read, because ${first.reason}${others}`];
}

/** Names in one line; of many, some and their number. */
export function listedNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 1 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ');
}
