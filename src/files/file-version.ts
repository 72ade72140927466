import type { Stats } from 'node:fs';

/** A second change of a file so soon after the first may leave its time and size unchanged. */
const youngMs = 2_000;

/** The version of a file, from a look at it that does not read it. */
export interface FileVersion {
  /** Equal for two looks that found the same content, unless the file was young at the first one. */
  readonly id: string;
  /** It has changed so recently that it must be read again at the next look. */
  readonly isYoung: boolean;
}

export function versionOf({ mtimeMs, ctimeMs, size, ino, dev }: Stats, now = Date.now()): FileVersion {
  return {
    id: [mtimeMs, ctimeMs, size, ino, dev].join(' '),
    // The clock of another machine may be ahead. A program may give a file any time of change, also one of the far future.
    isYoung: now - ctimeMs < youngMs || Math.abs(now - mtimeMs) < youngMs,
  };
}
