import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { formatInstant } from '../../files/durations.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { parseTimestamp } from '../../files/timestamps.ts';

/** When each key was last used, by its id. */
export type LastUsed = ReadonlyMap<string, Date>;

/** The file beside a key file in which gateways record when keys were last used. */
export const lastUsedFile = (keyFile: string): string => `${keyFile}.last-used.json`;

/** The recorded times; undefined without any, or if they cannot be read: they are for information only. */
export function loadLastUsed(keyFile: string): LastUsed | undefined {
  try {
    return parseLastUsed(readFileSync(lastUsedFile(keyFile), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Adds to what has been recorded, also by other gateways that share the key file. Readers see the old file or the new one.
 *
 * @param isKey ids of other keys are removed
 * @throws errors of the file system
 */
export async function saveLastUsed(
  keyFile: string,
  used: LastUsed,
  isKey: (id: string) => boolean,
): Promise<void> {
  const path = lastUsedFile(keyFile);
  const recorded = await readFile(path, 'utf8').then(parseLastUsed, () => new Map<string, Date>());
  const latest = new Map([...recorded].filter(([id]) => isKey(id)));
  for (const [id, at] of used) if (at > (latest.get(id) ?? new Date(0))) latest.set(id, at);
  const entries = [...latest].map(([id, at]) => [id, formatInstant(at)]).sort();
  await replaceFile(path, `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`);
}

function parseLastUsed(text: string): Map<string, Date> {
  const data: unknown = JSON.parse(text);
  const entries = Object.entries(typeof data === 'object' && data !== null ? data : {});
  return new Map(
    entries.flatMap(([id, value]): [string, Date][] => {
      const at = typeof value === 'string' ? parseTimestamp(value) : undefined;
      return at === undefined ? [] : [[id, new Date(at)]];
    }),
  );
}
