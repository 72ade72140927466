import { statfs } from 'node:fs/promises';

/** What a portion may need besides its rows: the log, temporary files. */
const spareBytes = 128 << 20;

const outOfSpaceError =
  /No space left|ENOSPC|EDQUOT|disk (?:is )?full|Out of Memory|max_temp_directory_size|Could not write|Failed to allocate/i;

class OutOfSpace extends Error {}

/** Whether something failed for want of disk or memory: it may go well later. */
export function isOutOfSpace(error: unknown): boolean {
  return error instanceof OutOfSpace || (error instanceof Error && outOfSpaceError.test(error.message));
}

/**
 * @param folder the one that grows; undefined where none does
 * @throws Error for which `isShortage` holds, where its disk has no room for so many bytes
 */
export async function requireSpace(folder: string | undefined, bytes: number): Promise<void> {
  if (folder === undefined) return;
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const wanted = bytes + spareBytes;
  if (free >= wanted) return;
  throw new OutOfSpace(
    `the store's disk is nearly full: ${megabytes(free)} left; the import goes on when ${megabytes(wanted)} are free`,
  );
}

/** What is told of a shortage; it names no path. */
export function outOfSpaceMessage(error: unknown): string {
  if (error instanceof OutOfSpace) return error.message;
  const isMemory = error instanceof Error && /memory|allocate/i.test(error.message);
  return isMemory
    ? 'the import stops for now: DUCKDB_MEMORY_LIMIT is too little for it'
    : 'the import stops for now: a disk is full, that of the store or of temporary files';
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / (1 << 20))} MB`;
