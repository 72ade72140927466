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

/** So much is compared for each second, of a file only without a change: a hundredth of the time, and less. */
const bytesOfSecond = 8 << 20;

/** The bytes that an import may compare at the moment, of all its files. */
export class ComparedBytes {
  readonly #max = 32 * bytesOfSecond;
  #left = this.#max;
  #at = performance.now();

  /** @returns false if there are too few now. More than are ever left are a debt. */
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
 * Compares the ends of what has been imported of a file with its manifest entry, and, unless the file grows often for its size
 * or others were compared, all of it.
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
