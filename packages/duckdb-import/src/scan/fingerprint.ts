import { canGrow, type DataFile } from './data-files.ts';
import { fingerprint, readRange } from '../store/file-digests.ts';
import type { ManifestEntry } from '../store/manifest.ts';

/** How many bytes at a file's beginning, and before an offset, identify its content. */
export const fingerprintBytes = 4096;

/** The first bytes of a file, and those before an offset. */
export interface FileEnds {
  readonly head: Buffer;
  readonly tail: Buffer;
}

export const noEnds: FileEnds = { head: Buffer.alloc(0), tail: Buffer.alloc(0) };

/**
 * Reads the ends of what has been imported of a file, and compares them with its manifest entry.
 *
 * @returns undefined for another file, or an edited one
 */
export async function readMatchingEnds(file: DataFile, entry: ManifestEntry): Promise<FileEnds | undefined> {
  const head = await readRange(file.path, 0, entry.headBytes);
  if (fingerprint(head) !== entry.head) return undefined;
  if (!canGrow(file)) return { head, tail: noEnds.tail };
  const tail = await readRange(file.path, Math.max(0, entry.offset - fingerprintBytes), entry.offset);
  return fingerprint(tail) === entry.tail ? { head, tail } : undefined;
}
