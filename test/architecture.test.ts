import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * The order of imports: a file imports from its own room or from one before it. `import type` counts. A room is a folder
 * of `src`, or a file directly in it.
 */
const rooms = [
  'errors',
  'version',
  'trace',
  'config',
  'concurrency',
  'files',
  'names',
  'redis',
  'catalog',
  'analysis',
  'keys',
  'engine',
  'engines',
  'results',
  'formats',
  'shadow',
  'metrics',
  'http',
  'gateway',
  'cli',
  'main',
];

/** The order inside the big rooms. Files that are not listed lie directly in the room, and come last. */
const insideRooms: Readonly<Record<string, readonly string[]>> = {
  'packages/bigquery-sql/src': [
    'text',
    'table-schema.ts',
    'types.ts',
    'syntax',
    'tree',
    'macros',
    'rules',
    'passes',
  ],
  'src/engines/duckdb': ['wire', 'store', 'import', 'prepare', 'run'],
};

const files = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts']).sort();

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path ?? '')),
  );

const imports = new Map(files.map((file) => [file, importsOf(file)]));

const roomOf = (file: string) => (file.split('/')[1] ?? '').replace(/\.ts$/, '');

/** The files that import each other, directly or through others: each circle once, in the order of its imports. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) return void circles.push([...path.slice(start), file]);
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return circles;
}

describe('architecture', () => {
  test.each(files.filter((file) => file.startsWith('src/')))(
    '%s is in a room with a rank and imports from rooms before it',
    (file) => {
      const rank = rooms.indexOf(roomOf(file));
      expect(rank, `${roomOf(file)} has no rank`).toBeGreaterThanOrEqual(0);
      for (const target of imports.get(file) ?? []) {
        expect(rooms.indexOf(roomOf(target)), `${file} → ${target}`).toBeLessThanOrEqual(rank);
      }
    },
  );

  test.each(Object.entries(insideRooms))('inside %s, folders import in their order', (room, folders) => {
    const rankOf = (file: string) => {
      const rank = folders.indexOf(file.slice(room.length + 1).split('/')[0] ?? '');
      return rank < 0 ? folders.length : rank;
    };
    const inside = files.filter((file) => file.startsWith(`${room}/`));
    const backwards = inside.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((target) => target.startsWith(`${room}/`) && rankOf(target) > rankOf(file))
        .map((target) => `${file} → ${target}`),
    );
    expect(backwards).toEqual([]);
  });

  test('no two files import each other, directly or through others', () => {
    expect(circlesIn(imports).map((circle) => circle.join(' → '))).toEqual([]);
  });

  test('a circle is found, and named by its files', () => {
    const graph = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['b.ts']],
    ]);
    expect(circlesIn(graph)).toEqual([['b.ts', 'c.ts', 'b.ts']]);
  });

  test('no folder has more than about a dozen files', () => {
    const counts = Map.groupBy(files, dirname);
    const tooLarge = [...counts].filter(([, { length }]) => length > 15).map(([folder]) => folder);
    expect(tooLarge).toEqual([]);
  });
});
