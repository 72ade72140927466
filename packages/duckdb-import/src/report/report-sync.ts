import type { ImportState } from '../import-state.ts';
import type { Loaded } from '../load/load-batch.ts';
import type { Recorded } from '../record/record-tables.ts';
import type { Scan } from '../scan/scan-folder.ts';
import type { DataFile } from '../scan/data-files.ts';
import type { Reject } from '../store/manifest.ts';
import { fieldProblems } from './unknown-fields.ts';
import { otherKindAdvice } from '../scan/other-kind.ts';
import {
  type ImportWarnings,
  importWarnings,
  leftOutWarnings,
  otherNameWarnings,
} from './import-warnings.ts';

/** The outcome of one sync. */
export interface ImportSummary extends Partial<ImportWarnings> {
  readonly rows: number;
  readonly rejected: number;
  readonly bytes: number;
  /** True if the store has all rows of the folder; false if the disk is full, for example. */
  readonly isComplete: boolean;
  /** Why the import has ended early, or a file waits: too little disk space or memory. */
  readonly interruption?: string;
  /** Why the data folder cannot be read: the store is as it was. */
  readonly unreadable?: string;
  /** When the oldest of the files that wait was written, in milliseconds since the epoch; undefined if none waits. */
  readonly waitingSince?: number | undefined;
  /** The tables of the files that wait; undefined if the data folder cannot be read. */
  readonly waitingTables?: ReadonlySet<string>;
  /** The warnings about files of tables whose rows are left out. */
  readonly leftOut?: readonly string[];
}

/** Reports the rejected rows and the problems to the operator. */
export async function reportSync(
  state: ImportState,
  { changed, folder }: Scan,
  { bytes, interruption, rejected, rejects, rows }: Loaded,
  recorded: Recorded,
): Promise<ImportSummary> {
  const { manifest, options, problems, short } = state;
  for (const [file, [first, ...others]] of rejects)
    if (first !== undefined) options.events.problem(await describeRejects(file, first, others.length + 1));
  for (const problem of await fieldProblems(state, changed)) options.events.problem(problem);
  reportEarlierRejects(state);
  const shortages = [...short].map(([name, reason]) => `${name}: waits: ${reason}`);
  const interruptions = [...(interruption === undefined ? [] : [interruption]), ...shortages];
  reportProblems(state, [...interruptions, ...recorded.problems]);
  const { waiting } = recorded;
  const names = options.tables.all.map(({ name }) => name);
  const found = importWarnings(folder, names, manifest.entries.values(), { problems, waiting });
  const times = waiting.map(({ mtime }) => Number(mtime / 1_000_000n));
  const waitingSince = times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
  const leftOut = leftOutWarnings(folder);
  const warnings = [...found.warnings, ...otherNameWarnings(folder), ...leftOut, ...importedParquet(state)];
  const [first] = interruptions;
  const ended = { isComplete: first === undefined, ...(first !== undefined && { interruption: first }) };
  const waitingTables = new Set(waiting.map(({ table }) => table));
  return { rows, rejected, bytes, ...ended, waitingSince, waitingTables, ...found, warnings, leftOut };
}

/** Reports that the data folder cannot be read. */
export function reportUnreadable(state: ImportState, error: unknown): ImportSummary {
  const reason = error instanceof Error ? ('code' in error ? error.code : error.message) : error;
  const unreadable = `the data folder cannot be read: ${String(reason).split('\n', 1)[0]}`;
  reportProblems(state, [unreadable]);
  return {
    rows: 0,
    rejected: 0,
    bytes: 0,
    isComplete: false,
    unreadable,
    unreadableTables: state.problems.size,
  };
}

/** A message about the rows of a file that cannot be read, by the first of them. */
async function describeRejects(file: DataFile, first: Reject, count: number): Promise<string> {
  const { name } = file;
  const { isRow, line, reason } = first;
  const advice = await otherKindAdvice(file, first);
  if (advice !== undefined)
    return `${name}: ${count === 1 ? 'a row' : `${count} rows`} cannot be read: ${advice}`;
  if (count > 1)
    return `${name}: ${count} rows cannot be read, the first: ${isRow ? 'row' : 'line'} ${line}: ${reason}`;
  return isRow ? `${name}: row ${line}: ${reason}` : `${name}:${line}: ${reason}`;
}

/** The rows that were left out by an earlier process: their reasons are in its log, and in the store. */
function reportEarlierRejects(state: ImportState): void {
  const { earlierRejects, manifest, options } = state;
  state.earlierRejects = new Map();
  const left = [...earlierRejects].flatMap(([number, rejected]) => {
    const name = manifest.entries.get(number)?.name;
    return name === undefined || rejected === 0 ? [] : [{ name, rejected }];
  });
  const [first, ...others] = left;
  if (first === undefined) return;
  const rows = left.reduce((sum, { rejected }) => sum + rejected, 0);
  options.events.problem(
    `${first.name}${others.length > 0 ? ` and ${others.length} more` : ''}: ${rows} rows that could not be read were left out by an earlier import; import.rejects of the store has the reasons`,
  );
}

function reportProblems(state: ImportState, messages: readonly string[]): void {
  const reported = new Set(messages);
  for (const message of reported) if (!state.reported.has(message)) state.options.events.problem(message);
  state.reported = reported;
}

/** The Parquet files that are imported, because their values have to be looked at. */
function importedParquet({ doubts, manifest }: ImportState): readonly string[] {
  const names = new Set(manifest.entries.values().map(({ name }) => name));
  const [first, ...more] = [...doubts].filter(([name]) => names.has(name));
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : `, and so are ${more.length} more`;
  return [`${first[0]} is imported and not read where it is, because ${first[1]}${others}`];
}
