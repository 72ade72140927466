import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { column } from '../../../../test/support/column.ts';
import type { TestOutcome } from '../../src/test/run-files.ts';
import { updateRows } from '../../src/test/update-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'update-rows-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('rows of a test are not written into the one that took its place while it ran', () => {
  const file = join(folder, 'hits.yaml');
  const tests = '  - name: last\n    expect:\n      rows: []\n';
  const outcome: TestOutcome = {
    file: { file, query: { name: 'hits', sql: '', columns: [column('n', 'integer')] } },
    test: { name: 'last', at: 0, line: 2, now: new Date(0), parameters: {}, expect: { rows: [] } },
    verdict: { passed: false, reason: '' },
    result: { rows: [{ n: 1 }], truncated: false, isExact: true },
    elapsedMs: 0,
  };
  const edited = `tests:\n${tests.replace('last', 'first')}${tests}`;
  writeFileSync(file, edited);
  const message = 'is not updated: the file was changed while the tests ran; run them again';
  expect(updateRows([outcome])).toEqual({ updated: [], problems: [{ file, line: 2, message }] });
  expect(readFileSync(file, 'utf8')).toBe(edited);

  writeFileSync(file, `tests:\n${tests}`);
  expect(updateRows([outcome]).updated).toEqual([outcome]);
  expect(readFileSync(file, 'utf8')).toContain('rows:\n        - { n: 1 }');
});
