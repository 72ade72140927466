import { statfs } from 'node:fs/promises';

/** The space that a batch may need besides its rows, for the log and temporary files. */
const spareBytes = 128 << 20;

const outOfSpaceError =
  /No space left|ENOSPC|EDQUOT|disk (?:is )?full|Out of Memory|max_temp_directory_size|Could not write|Failed to allocate/i;

/** These errors are about a value of the data, and quote it. */
const valueError = /^(?:Conversion|Invalid Input) Error: /;

class OutOfSpace extends Error {}

/** True if an operation failed because disk space or memory is short; it may succeed later. */
export function isOutOfSpace(error: unknown): boolean {
  if (error instanceof OutOfSpace) return true;
  return error instanceof Error && outOfSpaceError.test(error.message) && !valueError.test(error.message);
}

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
export function outOfSpaceMessage(error: unknown): string {
  if (error instanceof OutOfSpace) return error.message;
  const isMemory = error instanceof Error && /memory|allocate/i.test(error.message);
  return isMemory
    ? 'the import is paused: the memory limit of DuckDB is too small for it'
    : 'the import is paused: the disk of the store or of its temporary files is full';
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / (1 << 20))} MB`;
