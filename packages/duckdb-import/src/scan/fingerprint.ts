import { canGrow, type DataFile } from './data-files.ts';
import { checksum, fingerprint, readRange } from '../store/file-digests.ts';
import type { ManifestEntry } from '../store/manifest.ts';

/** How many bytes at a file's beginning, and before an offset, identify its content. */
export const fingerprintBytes = 4096;

/** The first bytes of a file, and those before an offset. */
export interface FileEnds {
  readonly head: Buffer;
  readonly tail: Buffer;
  /** Of all bytes before the offset; undefined if it is not known. */
  readonly checksum: number | undefined;
}

export const noEnds: FileEnds = { head: Buffer.alloc(0), tail: Buffer.alloc(0), checksum: 0 };

/**
 * Bytes that are compared for each second that has passed, which takes a hundredth of it at most. A file is compared only if it
 * has rested for the seconds that its own bytes need.
 */
const bytesOfSecond = 8 << 20;

/** How many bytes of all its files an import may compare now. */
export class ComparedBytes {
  readonly #max = 32 * bytesOfSecond;
  #left = this.#max;
  #at = performance.now();

  /** @returns false if too few are left. A file that is larger than ever are left is compared once none are in use, on credit. */
  take(bytes: number): boolean {
    const now = performance.now();
    this.#left = Math.min(this.#max, this.#left + ((now - this.#at) / 1000) * bytesOfSecond);
    this.#at = now;
    if (bytes > this.#left && this.#left < this.#max) return false;
    this.#left -= bytes;
    return true;
  }
}

/**
 * Compares the ends of what has been imported of a file with its manifest entry, and all of it if its bytes may be compared now.
 *
 * @returns undefined for another file, or an edited one
 */
export async function readMatchingEnds(
  file: DataFile,
  entry: ManifestEntry,
  compared: ComparedBytes,
): Promise<FileEnds | undefined> {
  const head = await readRange(file.path, 0, entry.headBytes);
  if (fingerprint(head) !== entry.head) return undefined;
  if (!canGrow(file)) return { ...noEnds, head };
  const tail = await readRange(file.path, Math.max(0, entry.offset - fingerprintBytes), entry.offset);
  if (fingerprint(tail) !== entry.tail) return undefined;
  const known = entry.checksum === '' ? undefined : Number(entry.checksum);
  const seconds = Number(file.ctime - (entry.ctime ?? 0n)) / 1e9;
  if (seconds * bytesOfSecond < entry.offset || !compared.take(entry.offset))
    return { head, tail, checksum: known };
  const found = await checksum(file.path, entry.offset);
  return known === undefined || found === known ? { head, tail, checksum: found } : undefined;
}
