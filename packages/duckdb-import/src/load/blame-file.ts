import type { ImportState } from '../import-state.ts';
import { describeFileProblem } from '../read/describe-problem.ts';
import { findFiles } from '../scan/remote-files.ts';
import { isOfDevice, isOutOfSpace } from '../store/disk-space.ts';
import type { PlacedFile } from '../store/files/placed-file.ts';
import { parquetSql } from '../store/statements.ts';

/** Of a reader of Parquet: it does not name the file. */
const ofReader = /^Invalid (?:Error: |Input Error: Invalid JSON found in Parquet)/;

/** Of the reader, about one column: statements that do not read it are not concerned. */
const ofText = /^Invalid Input Error: Invalid string encoding found in Parquet file/;

/** A file of which a column cannot be read. */
export interface Blamed {
  readonly file: PlacedFile;
  readonly reason: string;
}

/**
 * Takes the file for unreadable whose content has made a statement fail, until it changes.
 *
 * @returns false if it was none of the files, or only a shortage; the file and the reason if only statements fail that read the
 * same column
 */
export async function blameFile(
  state: ImportState,
  files: readonly PlacedFile[],
  error: unknown,
): Promise<boolean | Blamed> {
  if (isOutOfSpace(error) || isOfDevice(error)) return false;
  const message = error instanceof Error ? error.message : '';
  const named = files.find(({ path }) => message.includes(path));
  if (named && ofText.test(message))
    return {
      file: named,
      reason: `${named.name}: queries that read a column fail, because a text of it is not UTF-8; write it as UTF-8, or as BYTES`,
    };
  const found = named ? { file: named, error } : ofReader.test(message) && (await firstBroken(state, files));
  if (!found) return false;
  const { dataDir, tables } = state.options;
  const folder = await findFiles(state.connection, dataDir, tables.all);
  for (const file of [...folder.tables.values()].flatMap((one) => one.files)) {
    if (file.path !== found.file.path) continue;
    const problem = describeFileProblem(file, found.error);
    state.unreadable.add(file, problem);
    state.problems.set(file.table, problem);
  }
  return true;
}

async function firstBroken(
  { connection }: ImportState,
  files: readonly PlacedFile[],
): Promise<{ readonly file: PlacedFile; readonly error: unknown } | undefined> {
  for (const file of files) {
    try {
      await connection.run(`SELECT count(hash(r)) FROM ${parquetSql([file.path])} AS r`);
    } catch (error) {
      if (isOutOfSpace(error) || isOfDevice(error)) throw error;
      return { file, error };
    }
  }
  return undefined;
}
