import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ExportedName, exportedNames, exportsPages, isOfTools } from '../release/exports.ts';
import { packages } from '../release/packages.ts';

const withMembers = (name: ExportedName): readonly ExportedName[] => [name, ...(name.members ?? [])];

describe('the exported names', () => {
  test.each([...exportsPages()])('are those that %s lists', (file, text) => {
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('are exported once', () => {
    const declarations = Map.groupBy(exportedNames().flatMap(withMembers), ({ declaration }) => declaration);
    expect([...declarations].filter(([, { length }]) => length > 1).map(([name]) => name)).toEqual([]);
  });

  test('are so few that a person reads them', () => {
    expect(exportedNames().filter((name) => !isOfTools(name)).length).toBeLessThanOrEqual(132);
  });

  test.each(packages.flatMap(({ folder }) => exportedNames(folder)).flatMap(withMembers))(
    '$from: $name says what it is for',
    ({ summary }) => {
      expect(summary).toMatch(/^[A-Z].*\.$/);
    },
  );
});
