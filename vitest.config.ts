import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { type Project, projectOf, projects, testFiles } from './test/support/projects.ts';

// Without Vite's condition `development`: a second copy of graphql would be loaded, and its errors not known as ours.
const conditions = ['node', 'module-sync', 'import', 'default'];

/** What exceeds these hangs, on a machine that others load too: no test measures time by them. */
const timeoutMs = {
  unit: 5_000,
  app: 30_000,
  memory: 120_000,
  process: 120_000,
  browser: 120_000,
  timing: 300_000,
};

/** Half of the time of these would be spent on loading the same modules for each file. */
const sharing: readonly Project[] = ['unit', 'app', 'process'];

/** They start gateways as processes. */
const starting: readonly Project[] = ['process', 'browser', 'timing'];

/** Below `node_modules`, where the packages are found that are not part of them. */
const programs = resolve(`node_modules/.cache/querygate-programs-${process.pid}`);
process.env.TEST_PROGRAMS = programs;

const files = testFiles();
const filesOf = Map.groupBy(files, projectOf);

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: projects.map((name) => ({
      extends: true,
      test: {
        name,
        include: filesOf.get(name) ?? [],
        isolate: !sharing.includes(name),
        ...(starting.includes(name) && { globalSetup: 'test/support/program-files.ts' }),
        testTimeout: timeoutMs[name],
        hookTimeout: timeoutMs[name],
        expect: { poll: { timeout: 0.8 * timeoutMs[name] } },
        provide: { waitingMs: 0.8 * timeoutMs[name] },
        ...(name === 'timing' && { sequence: { groupOrder: 1 }, maxWorkers: 1 }),
      },
    })),
    env: { TEST_DEMO_STORES: join(tmpdir(), `querygate-demo-${process.pid}`), TEST_PROGRAMS: programs },
    globalSetup: 'test/support/demo-store.ts',
    sequence: { sequencer: LongestFirst },
    // One more than cores: tests wait often, for deadlines, for a frozen Redis, for processes to end.
    maxWorkers: availableParallelism() + 1,
  },
});
