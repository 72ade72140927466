import { statfs } from 'node:fs/promises';

/** The space that a batch may need besides its rows, for the log and temporary files. */
const spareBytes = 128 << 20;

const outOfSpaceError =
  /No space left|ENOSPC|EDQUOT|disk (?:is )?full|Out of Memory|max_temp_directory_size|Could not write|Failed to allocate|\bE[MN]FILE\b|Too many open files|\bENOMEM\b|Cannot allocate memory/i;

const outOfMemoryError = /Out of Memory|Failed to allocate|\bENOMEM\b|Cannot allocate memory/i;

const deviceError = /\b(?:EIO|ESTALE)\b|Input\/output error|Stale (?:NFS )?file handle/i;

/** These errors are about a value of the data, and quote it. */
const valueError = /^(?:Conversion|Invalid Input) Error: /;

class OutOfSpace extends Error {}

/** True if an operation failed because disk space, memory or open files are short; it may succeed later. */
export function isOutOfSpace(error: unknown): boolean {
  if (error instanceof OutOfSpace) return true;
  return error instanceof Error && outOfSpaceError.test(error.message) && !valueError.test(error.message);
}

/** True if memory is short, which another file may not need as much. */
export const isOutOfMemory = (error: unknown): boolean =>
  isOutOfSpace(error) && error instanceof Error && outOfMemoryError.test(error.message);

/** True if the device of a file has failed, such as a network mount: the same file may be readable later. */
export const isOfDevice = (error: unknown): boolean =>
  error instanceof Error && deviceError.test(error.message) && !valueError.test(error.message);

/**
 * @param folder in which the store grows; undefined for a store in memory
 * @throws Error for which `isOutOfSpace` is true, if the disk has too little free space
 */
export async function requireSpace(folder: string | undefined, bytes: number): Promise<void> {
  if (folder === undefined) return;
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const needed = bytes + spareBytes;
  if (free >= needed) return;
  throw new OutOfSpace(
    `the disk of the store is nearly full: ${megabytes(free)} are free; the import continues when ${megabytes(needed)} are free`,
  );
}

/** The message for the operator, without paths. */
export function outOfSpaceMessage(
  error: unknown,
  diskFull = 'the import is paused: the disk of the store or of its temporary files is full',
): string {
  if (error instanceof OutOfSpace) return error.message;
  if (isOutOfMemory(error)) return `the import is paused: ${outOfMemoryReason(error)}`;
  const message = error instanceof Error ? error.message : '';
  return /\bE[MN]FILE\b|open files/i.test(message)
    ? 'the import is paused: too many files are open'
    : diskFull;
}

/** Why a file waits for which memory is short, without paths. */
export const outOfMemoryReason = (error: unknown): string =>
  /\bENOMEM\b|Cannot allocate memory/i.test(error instanceof Error ? error.message : '')
    ? 'the machine has too little memory'
    : 'the memory limit of DuckDB is too small for it; raise DUCKDB_MEMORY_LIMIT';

const megabytes = (bytes: number) => `${Math.ceil(bytes / (1 << 20))} MB`;
