import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { projectOf, projects } from './test/support/projects.ts';

// Without Vite's condition `development`: a second copy of graphql would be loaded, and its errors not known as ours.
const conditions = ['node', 'module-sync', 'import', 'default'];

/** Examples import the package by its name. */
const alias = [
  { find: /^querygate$/, replacement: resolve('src/index.ts') },
  { find: /^querygate\/(.+)$/, replacement: resolve('src/exports/$1.ts') },
];

const files = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts']).sort();
const filesOf = Map.groupBy(files, projectOf);

export default defineConfig({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: projects.map((name) => ({
      extends: true,
      // Half of the time of `unit` would be spent on loading the same modules for each file.
      test: { name, include: filesOf.get(name) ?? [], isolate: name !== 'unit' },
    })),
    // For a machine that others load: what runs into them hangs, and no test measures time by them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    sequence: { sequencer: LongestFirst },
    // Half of the time tests wait: for deadlines, for a frozen Redis, for processes to end.
    maxWorkers: Math.max(4, availableParallelism()),
  },
});
