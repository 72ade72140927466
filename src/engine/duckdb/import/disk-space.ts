import { statfs } from 'node:fs/promises';

/** What a portion may need besides its rows: the log, temporary files. */
const spareBytes = 128 << 20;

const signs =
  /No space left|ENOSPC|EDQUOT|disk (?:is )?full|Out of Memory|max_temp_directory_size|Could not write|Failed to allocate/i;

class Shortage extends Error {}

/** Whether something failed for want of disk or memory: it may go well later. */
export function isShortage(error: unknown): boolean {
  return error instanceof Shortage || (error instanceof Error && signs.test(error.message));
}

/**
 * @param folder the one that grows; undefined where none does
 * @throws Error for which `isShortage` holds, where its disk has no room for so many bytes
 */
export async function demandSpace(folder: string | undefined, bytes: number): Promise<void> {
  if (folder === undefined) return;
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const wanted = bytes + spareBytes;
  if (free >= wanted) return;
  throw new Shortage(
    `the store's disk is nearly full: ${megabytes(free)} left; the import goes on when ${megabytes(wanted)} are free`,
  );
}

/** What is told of a shortage; it names no path. */
export function shortageMessage(error: unknown): string {
  if (error instanceof Shortage) return error.message;
  const isMemory = error instanceof Error && /memory|allocate/i.test(error.message);
  return isMemory
    ? 'the import stops for now: DUCKDB_MEMORY_LIMIT is too little for it'
    : 'the import stops for now: a disk is full, that of the store or of temporary files';
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / (1 << 20))} MB`;
