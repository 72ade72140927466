import { mkdirSync, watch, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { Config } from '../../config.ts';
import { loadAnalyzed } from '../../analysis/load-analyzed.ts';
import { configuredEngine } from '../configured-engine.ts';
import { limitsOf } from '../../engines/checked-engine.ts';
import { StartError } from '../../errors.ts';
import { commandError } from '../arguments.ts';
import { problemsText } from '../problems/print-problems.ts';
import { writeFirstTests } from './first-test.ts';
import { junitXml } from './junit.ts';
import { loadTests, type TestFile } from './load-tests.ts';
import { openFixtureEngine, requireFixtures } from './fixture-engine.ts';
import { outcomeText, paintFor, summaryText } from './print-outcomes.ts';
import { type Open, runFiles } from './run-files.ts';
import { updateRows } from './update-rows.ts';

export interface TestOptions {
  readonly watch?: boolean;
  readonly update?: boolean;
  /** The file for JUnit's XML. */
  readonly junit?: string;
}

/**
 * `querygate test`: runs the tests of saved queries.
 *
 * @param names of saved queries; empty for all
 * @returns whether all passed
 * @throws StartError if the queries, the tests or the settings have problems
 */
export async function testQueries(
  config: Config,
  names: readonly string[],
  options: TestOptions,
): Promise<boolean> {
  if (options.watch && options.junit !== undefined)
    throw commandError('--watch runs the tests at every change; use it without --junit');
  if (options.watch) return watchTests(config, names, options);
  return runOnce(config, names, options);
}

async function runOnce(config: Config, names: readonly string[], options: TestOptions): Promise<boolean> {
  const startedAt = performance.now();
  const paint = paintFor(process.stdout);
  const engine = await configuredEngine(config);
  requireFixtures(engine);
  const catalog = loadAnalyzed(config.queriesDir, engine);
  if (options.update) await writeFirstTests(catalog, config, names, engine.sql);
  const files = loadTests(catalog, config.queriesDir, names);
  const limits = limitsOf(config);
  const open: Open = (queries, fixtures) =>
    openFixtureEngine(engine, { ...catalog, queries }, limits, fixtures);
  const outcomes = await runFiles(files, { open, parallel: availableParallelism() });
  const updated = options.update ? updateRows(outcomes) : [];
  for (const outcome of outcomes)
    process.stdout.write(outcomeText(outcome, paint, updated.includes(outcome)));
  const untested = untestedQueries(catalog, files, names);
  const elapsedMs = performance.now() - startedAt;
  process.stdout.write(summaryText(outcomes, { updated, untested, elapsedMs }, paint));
  if (options.junit !== undefined) writeJunit(options.junit, outcomes);
  return outcomes.every((outcome) => outcome.verdict.passed || updated.includes(outcome));
}

/** @throws StartError if the file cannot be written */
function writeJunit(file: string, outcomes: Parameters<typeof junitXml>[0]): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, junitXml(outcomes));
  } catch (error) {
    throw commandError(`--junit ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

function untestedQueries(
  { queries }: Catalog,
  files: readonly TestFile[],
  names: readonly string[],
): readonly string[] {
  const tested = new Set(files.map(({ query }) => query.name));
  return queries
    .map(({ name }) => name)
    .filter((name) => !tested.has(name) && (names.length === 0 || names.includes(name)));
}

/** An editor writes a file in several steps. */
const settleMs = 100;

/** Runs the tests now and after every change of the queries folder, until a signal ends the command. */
async function watchTests(config: Config, names: readonly string[], options: TestOptions): Promise<boolean> {
  let isPassing = false;
  const run = async () => {
    try {
      isPassing = await runOnce(config, names, options);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      isPassing = false;
      process.stdout.write(problemsText(error));
    }
    process.stdout.write(`waiting for changes of ${config.queriesDir}\n`);
  };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let running = run();
  let isQueued = false;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(config.queriesDir, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isQueued) return;
      isQueued = true;
      running = running.then(() => {
        isQueued = false;
        return run();
      });
    }, settleMs);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  await ended;
  watcher.close();
  clearTimeout(timer);
  await running;
  return isPassing;
}
