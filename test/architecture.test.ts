import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The law of imports: a file imports from its own room or from one to its left. */
const rooms = [
  'errors',
  'config',
  'concurrency',
  'files',
  'catalog',
  'keys',
  'engine',
  'results',
  'http',
  'start-banner',
  'progress-line',
  'app',
  'main',
  'cli',
];

const files = globSync('src/**/*.ts').sort();

const roomOf = (file: string) => (file.split('/')[1] ?? '').replace(/\.ts$/, '');

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path ?? '')),
  );

describe('architecture', () => {
  test.each(files)('%s stands in a known room and imports nothing from its right', (file) => {
    const rank = rooms.indexOf(roomOf(file));
    expect(rank, `${roomOf(file)} has no rank`).toBeGreaterThanOrEqual(0);
    for (const target of importsOf(file)) {
      expect(rooms.indexOf(roomOf(target)), `${file} → ${target}`).toBeLessThanOrEqual(rank);
    }
  });
});
