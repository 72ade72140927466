import type { ImportState } from '../import-state.ts';
import type { Change, Touched } from '../scan/find-changes.ts';
import { fileDigest, footerDigest } from '../store/file-digests.ts';
import { isOutOfSpace } from '../store/disk-space.ts';
import type { ManifestEntry } from '../store/manifest.ts';
import { isRemote } from '../store/remote-path.ts';
import { inTransaction, runAll } from '../store/statements.ts';

/** How many bytes one sync compares: the modes or links of all files may change each minute. */
const maxBytes = 256 << 20;

/**
 * Compares the files of which only the time of the last change differs with their digests, those that were compared longest ago
 * first.
 *
 * @returns those that are to be imported again: their content is another one, or was not known
 */
export async function lookAgain(state: ImportState, touched: readonly Touched[]): Promise<readonly Change[]> {
  const { connection, manifest, options } = state;
  const same: ManifestEntry[] = [];
  const changes: Change[] = [];
  let left = maxBytes;
  for (const { entry, file } of touched.toSorted((a, b) => Number(timeOf(a) - timeOf(b)))) {
    const isKnown = entry.ctime !== undefined;
    const { ctime, identity } = file;
    if (entry.ctime === ctime) {
      same.push({ ...entry, identity });
      continue;
    }
    if (left <= 0) continue;
    const digest = await digestOf({ entry, file }).catch(() => undefined);
    // It is gone, or cannot be read.
    if (digest === undefined) continue;
    if (digest !== '' && entry.footer === undefined) left -= file.size;
    if (!isKnown || digest === entry.digest) same.push({ ...entry, digest, ctime, identity });
    else changes.push({ file, knownEntry: undefined, replaces: [entry.number], digest });
  }
  if (same.length === 0) return changes;
  try {
    await inTransaction(connection, () => runAll(connection, manifest.touch(same)));
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    return changes;
  }
  for (const entry of same) manifest.entries.set(entry.number, entry);
  options.tables.files.touch(same.filter(({ footer }) => footer !== undefined));
  return changes;
}

const timeOf = ({ entry }: Touched) => entry.ctime ?? 0n;

/** Empty if there is nothing to compare. */
async function digestOf({ entry, file: { path, size } }: Touched): Promise<string> {
  if (isRemote(path)) return '';
  if (entry.footer !== undefined) return footerDigest(path, size);
  return entry.ctime === undefined ? '' : fileDigest(path);
}
