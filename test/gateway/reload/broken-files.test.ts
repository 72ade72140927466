import { expect, test } from 'vitest';
import type { BrokenFile } from '../../../src/catalog/folder/catalog-history.ts';
import { compareBroken } from '../../../src/gateway/reload/broken-files.ts';

const ofPart = { file: 'q/functions/f.sql', line: 2, message: 'expected ")"' };
const broken = (file: string, ...problems: BrokenFile['problems']): BrokenFile => ({
  ...{ file, problems, isServed: true },
  since: new Date(0),
});
const part = broken('q/functions/f.sql', ofPart);

test('files that only read a broken one are named by its report, and have none of their own', () => {
  const own = { file: 'q/c.sql', line: 9, message: 'no table is named t' };
  const all = [part, broken('q/a.sql', ofPart), broken('q/b.sql', ofPart), broken('q/c.sql', ofPart, own)];
  const report = compareBroken([], all);
  expect(report.mended).toEqual([]);
  expect(report.broken).toEqual([
    { ...part, problems: [ofPart, { file: part.file, message: 'is read by q/a.sql, q/b.sql' }] },
    broken('q/c.sql', ofPart, own),
  ]);
  expect(compareBroken(all, all)).toEqual({ broken: [], mended: [] });
  expect(compareBroken(all, []).mended).toEqual(['q/functions/f.sql', 'q/c.sql']);
});
