import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ExportedName, exportedNames, exportsPage } from '../release/exports.ts';
import { packages } from '../release/packages.ts';

const withMembers = (name: ExportedName): readonly ExportedName[] => [name, ...(name.members ?? [])];

describe('the exported names', () => {
  test('are those that docs/exports.md lists', () => {
    expect(readFileSync('docs/exports.md', 'utf8')).toBe(exportsPage());
  });

  test('are so few that a person reads them', () => {
    expect(exportedNames().length).toBeLessThanOrEqual(130);
  });

  test.each(packages.flatMap(({ folder }) => exportedNames(folder)).flatMap(withMembers))(
    '$from: $name says what it is for',
    ({ summary }) => {
      expect(summary).toMatch(/^[A-Z].*\.$/);
    },
  );
});
