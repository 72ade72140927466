import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportedNames, exportsPages } from '../release/exports.ts';
import { packages } from '../release/packages.ts';

describe('the exported names', () => {
  test.each([...exportsPages()])('are those that %s lists', (file, text) => {
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test.each(packages.flatMap(({ folder }) => exportedNames(folder)))(
    '$from: $name says what it is for',
    ({ summary }) => {
      expect(summary).toMatch(/^[A-Z].*\.$/);
    },
  );
});
