import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportedNames, exportsPage } from '../release/exports.ts';
import { packages } from '../release/packages.ts';

describe('the exported names', () => {
  test('are those that docs/exports.md lists', () => {
    expect(readFileSync('docs/exports.md', 'utf8')).toBe(exportsPage());
  });

  test.each(packages.flatMap(({ folder }) => exportedNames(folder)))(
    '$from: $name says what it is for',
    ({ summary }) => {
      expect(summary).toMatch(/^[A-Z].*\.$/);
    },
  );
});
