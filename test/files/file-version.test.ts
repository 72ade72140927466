import type { Stats } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { versionOf } from '../../src/files/file-version.ts';

describe('the version of a file', () => {
  const now = 1_800_000_000_000;
  const stats = (more: object) =>
    ({ mtimeMs: now - 9_000, ctimeMs: now - 9_000, size: 5, ino: 1, dev: 1, ...more }) as Stats;

  test.each(['mtimeMs', 'ctimeMs', 'size', 'ino', 'dev'])('is another one after a change of %s', (field) => {
    expect(versionOf(stats({ [field]: 7 })).id).not.toBe(versionOf(stats({})).id);
  });

  test.each([
    ['it was written a second ago', { mtimeMs: now - 1_000, ctimeMs: now - 1_000 }, true],
    ['its mode was changed a second ago', { ctimeMs: now - 1_000 }, true],
    ['the clock of its machine is ahead', { ctimeMs: now + 60_000 }, true],
    ['it was written three seconds ago', { mtimeMs: now - 3_000, ctimeMs: now - 3_000 }, false],
    ['its time was set to the far future', { mtimeMs: now + 9e9 }, false],
  ])('says whether it is young: %s', (_, more, isYoung) => {
    expect(versionOf(stats(more), now).isYoung).toBe(isYoung);
  });
});
