import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { projectOf, projects } from './test/support/projects.ts';

// Without Vite's condition `development`: a second copy of graphql would be loaded, and its errors not known as ours.
const conditions = ['node', 'module-sync', 'import', 'default'];

const files = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts']).sort();
const filesOf = Map.groupBy(files, projectOf);

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: projects.map((name) => ({ extends: true, test: { name, include: filesOf.get(name) ?? [] } })),
    // For a machine that others load: what runs into them hangs, and no test measures time by them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // Half of the time tests wait: for deadlines, for a frozen Redis, for processes to end.
    maxWorkers: Math.max(3, availableParallelism()),
  },
});
