import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The projects of Vitest, from the one that starts least; `timing` runs after all others, one file at a time. */
export const projects = ['unit', 'app', 'memory', 'process', 'browser', 'timing'] as const;

export type Project = (typeof projects)[number];

/** What a test starts, by what it imports: itself, or through files of tests. */
const ofTests: readonly (readonly [Project, RegExp])[] = [
  ['browser', /^playwright-core$/],
  ['process', /^node:child_process$/],
  ['app', /^(?:fast-check|node:(?:https?|net|v8|worker_threads))$/],
];

/** The same for imports through any file. */
const ofAll = /^(?:@duckdb\/node-api|src\/gateway\/create-gateway\.ts)$/;

/** All test files. What tests install is not searched: it is ten thousand folders. */
export const testFiles = (): readonly string[] =>
  globSync('{test,packages/*/test}/**/*.test.ts', { exclude: ['**/node_modules'] }).sort();

/**
 * The project in which a test file runs: `timing` if its name says so, because it bounds processor time; `browser` if it
 * imports what drives Chromium, directly or through others, `process` if it imports what starts processes, `memory` if it
 * measures memory, `app` for a gateway, DuckDB, a socket, a thread, many random inputs, or what computes for long, and otherwise
 * `unit`. Types do not count.
 */
export function projectOf(file: string): Project {
  if (file.endsWith('.timing.test.ts')) return 'timing';
  const [started] = ofTests.find(([, pattern]) => reaches(file, pattern, isOfTests)) ?? [];
  if ((started ?? 'app') === 'app' && measuresMemory(file)) return 'memory';
  return started ?? (reaches(file, ofAll, () => true) || longer.includes(file) ? 'app' : 'unit');
}

/** Tests that compute for a second or longer, or start a process: the project `unit` is for those that hang after five. */
const longer = [
  'test/catalog-analysis/compilations.test.ts',
  'test/catalog-analysis/tenant-filters.test.ts',
  'test/catalog/folder/part-reload.test.ts',
  'test/architecture.test.ts',
  'test/engine-contract/remote/faulty-engine.test.ts',
  'test/files/read-yaml.test.ts',
  'test/formats/convert-apart.test.ts',
  'test/http/graphql/rows/unexpected-cell.test.ts',
  'test/keys/open-keys.test.ts',
  'test/plugins/increments/billed-day.test.ts',
  'test/plugins/shadow/diff-rows.test.ts',
  'test/plugins/shared-runs/shared-equals-single.test.ts',
  'test/plugins/shared-runs/shared-increments.test.ts',
  'test/results/refresh-order.test.ts',
  'test/results/warmer.test.ts',
];

/** What other files of tests have left in the same process would count. */
const measuresMemory = (file: string) => readFileSync(file, 'utf8').includes('process.memoryUsage');

const isOfTests = (file: string) => !/(?:^|\/)src\//.test(file);

function reaches(file: string, pattern: RegExp, follows: (file: string) => boolean): boolean {
  const reached = new Set([file]);
  for (const one of reached) {
    if (pattern.test(one)) return true;
    if (one.endsWith('.ts') && follows(one)) for (const target of importsOf(one)) reached.add(target);
  }
  return false;
}

const imports = new Map<string, readonly string[]>();

/** What a file imports: paths of files, and names of modules. Only tests import at run time what they start. */
function importsOf(file: string): readonly string[] {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const found = [
    ...text.matchAll(/^(?:import|export) (?!type )(?:[^'";]* from )?'([^']+)'/gm),
    ...(isOfTests(file) ? text.matchAll(/\bimport\('([^']+)'\)/g) : []),
  ].map(([, name = '']) => {
    if (name.startsWith('.')) return join(dirname(file), name);
    const [, folder, path = ''] = /^@querygate\/([\w-]+)((?:\/.+)?)$/.exec(name) ?? [];
    return folder === undefined
      ? name
      : (entriesOf(folder)[`.${path}`]?.replace('.', `packages/${folder}`) ?? name);
  });
  // A text may contain the source of a module.
  const real = found.filter((name) => !name.endsWith('.ts') || existsSync(name));
  imports.set(file, real);
  return real;
}

/** The files that a package of this repository exports, by their subpaths. */
const entriesOf = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')).exports;
