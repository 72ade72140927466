import type { Logger } from 'pino';
import { openRepeat } from '../concurrency/repeat.ts';
import { saveLastUsed } from './file/last-used.ts';
import type { Keyring } from './keyring.ts';

/** How often uses are taken from the keyring; so exact are the times. */
const checkEveryMs = 2_000;

/** At most once in this time: what happens in between is written together. */
const writeEveryMs = 60_000;

/** Records beside a key file when its keys were last used; once more when it is closed. */
export function openRecordUse(
  keyFile: string,
  keyring: Pick<Keyring, 'takeUsed' | 'has'>,
  { log, now }: { readonly log: Logger; readonly now: () => Date },
): { close(): Promise<void> } {
  let writtenAt = Number.NEGATIVE_INFINITY;
  /** Not written yet. */
  let used = new Map<string, Date>();
  let isFailing = false;
  const collect = () => {
    for (const id of keyring.takeUsed()) used.set(id, now());
  };
  const write = async () => {
    if (used.size === 0) return;
    writtenAt = performance.now();
    const written = used;
    used = new Map();
    try {
      await saveLastUsed(keyFile, written, (id) => keyring.has(id));
      isFailing = false;
    } catch (error) {
      used = new Map([...written, ...used]);
      const { code } = error as NodeJS.ErrnoException;
      // The folder may be read-only: keys work all the same.
      if (!isFailing) log.warn({ code }, 'the last use of keys cannot be recorded beside the key file');
      isFailing = true;
    }
  };
  const repeat = openRepeat({
    everyMs: checkEveryMs,
    work: async () => {
      collect();
      if (performance.now() - writtenAt >= writeEveryMs) await write();
    },
    onError: (err) => log.error({ err }, 'a bug in the gateway'),
  });
  return {
    async close() {
      await repeat.close();
      collect();
      await write();
    },
  };
}
