import { readFile, stat } from 'node:fs/promises';
import { decodeUtf8 } from '@querygate/text';
import { openRepeat } from '../../concurrency/repeat.ts';
import { versionOf } from '../../files/file-version.ts';

interface WatchOptions {
  readonly file: string;
  /** The text that is known already. */
  readonly text: string;
  /** Called with each new text, once two looks have found the same. */
  readonly onChange: (text: string) => Promise<void>;
  /** Called each time that reading begins to fail. */
  readonly onUnreadable: (error: NodeJS.ErrnoException) => void;
  /** Receives the error of a failed look; the file is looked at again nevertheless. */
  readonly onError: (error: unknown) => void;
}

/** A revoked key must be rejected within two seconds: after two looks, plus the time to read and check the file. */
const lookEveryMs = 300;

/** Follows the text of a file by its path: it may be written in place, replaced, or be a link whose target is replaced. */
export function watchFile({ file, text, onChange, onUnreadable, onError }: WatchOptions): {
  close(): Promise<void>;
} {
  let seenVersion = '';
  let known = text;
  /** A new text that was found by one look. */
  let candidate: string | undefined;
  let isFailing = false;
  const work = async () => {
    let next: string;
    try {
      const { id, isYoung } = versionOf(await stat(file));
      if (id === seenVersion && !isYoung && candidate === undefined) return;
      next = decodeUtf8(await readFile(file));
      seenVersion = id;
      isFailing = false;
    } catch (error) {
      if (!isFailing) onUnreadable(error as NodeJS.ErrnoException);
      isFailing = true;
      seenVersion = '';
      candidate = undefined;
      return;
    }
    if (next !== candidate) {
      candidate = next === known ? undefined : next;
      return;
    }
    candidate = undefined;
    const before = known;
    known = next;
    try {
      await onChange(next);
    } catch (error) {
      // It is looked at again as long as the file is young.
      known = before;
      throw error;
    }
  };
  return openRepeat({ everyMs: lookEveryMs, work, onError });
}
