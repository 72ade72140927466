import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Catalog } from 'querygate';
import { loadAnalyzed, problemsText, watchPath } from 'querygate/catalog';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { commandError } from '@querygate/bigquery-sql/command';
import { writeFirstTests } from './first-test.ts';
import { junitXml } from './junit.ts';
import { loadTests, type TestFile } from './load-tests.ts';
import { openFixtureEngine, requireFixtures } from './fixture-engine.ts';
import { outcomeText, paintFor, summaryText } from './print-outcomes.ts';
import { loadCheckFiles, runChecks } from './run-checks.ts';
import { type Open, runFiles, type TestOutcome } from './run-files.ts';
import { updateRows } from './update-rows.ts';
import type { Workspace } from '../workspace.ts';

/** The options of `querygate test`. */
export interface TestOptions {
  readonly watch?: boolean;
  readonly update?: boolean;
  /** The file for JUnit's XML. */
  readonly junit?: string;
}

/**
 * Runs the tests of saved queries: `querygate test`.
 *
 * @param names of saved queries; empty for all
 * @returns true if all passed
 * @throws ProblemError if the queries, the tests or the settings have problems
 */
export async function testQueries(
  workspace: Workspace,
  names: readonly string[],
  options: TestOptions,
): Promise<boolean> {
  if (options.watch && options.junit !== undefined)
    throw commandError('--watch runs the tests at every change; use it without --junit');
  if (options.watch) return watchTests(workspace, names, options);
  return runOnce(workspace, names, options);
}

async function runOnce(
  workspace: Workspace,
  names: readonly string[],
  options: TestOptions,
): Promise<boolean> {
  const startedAt = performance.now();
  const paint = paintFor(process.stdout);
  const { engine, limits } = workspace;
  if (options.junit !== undefined) requireReport(options.junit);
  requireFixtures(engine);
  const catalog = loadAnalyzed(workspace.queriesDir, engine);
  if (options.update) await writeFirstTests(catalog, workspace, names, engine.sql);
  const { files: checks, names: checkNames } = loadCheckFiles(catalog, workspace, names);
  const queryNames = names.filter((name) => !checkNames.includes(name));
  const files =
    queryNames.length === 0 && names.length > 0 ? [] : loadTests(catalog, workspace, queryNames, checkNames);
  const open: Open = (queries, fixtures) =>
    openFixtureEngine(engine, { ...catalog, queries }, limits, fixtures);
  const tested = await runFiles(files, { open, parallel: availableParallelism() });
  const { updated: written, problems } = options.update ? updateRows(tested) : { updated: [], problems: [] };
  const judged = tested.map((one) => (written.includes(one) ? afterUpdate(one) : one));
  const updated = judged.filter((one) => written.includes(one));
  const outcomes = [...judged, ...(await runChecks(checks, catalog, workspace))];
  for (const outcome of outcomes)
    process.stdout.write(outcomeText(outcome, paint, updated.includes(outcome)));
  const untested = untestedQueries(catalog, files, names);
  const elapsedMs = performance.now() - startedAt;
  process.stdout.write(summaryText(outcomes, { updated, untested, elapsedMs }, paint));
  if (options.junit !== undefined) writeJunit(options.junit, outcomes);
  if (problems.length > 0) throw new ProblemError('Some tests cannot be updated', problems);
  return outcomes.every((outcome) => outcome.verdict.passed || updated.includes(outcome));
}

/** A test whose rows are written fails still if its ASSERTs do. */
const afterUpdate = (outcome: TestOutcome): TestOutcome =>
  outcome.verdict.passed || outcome.verdict.ofAsserts === undefined
    ? outcome
    : { ...outcome, verdict: outcome.verdict.ofAsserts };

/** @throws ProblemError if something else than a report is there, which would be lost */
function requireReport(file: string): void {
  const isReport =
    !existsSync(file) || statSync(file).size === 0 || /^\s*<(?:\?xml|testsuites?\b)/.test(readStart(file));
  if (!isReport)
    throw commandError(
      `--junit ${file} is there, and is not a report of tests, which are XML: name another file`,
    );
}

function readStart(file: string): string {
  try {
    return readFileSync(file, 'latin1')
      .slice(0, 200)
      .replace(/^\xEF\xBB\xBF/, '');
  } catch (error) {
    throw commandError(`--junit ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** @throws ProblemError if the file cannot be written */
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

/** Runs the tests now and after every change of the queries folder, until a signal or the end of its reader ends the command. */
async function watchTests(
  workspace: Workspace,
  names: readonly string[],
  options: TestOptions,
): Promise<boolean> {
  let isPassing = false;
  const run = async () => {
    try {
      isPassing = await runOnce(workspace, names, options);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      isPassing = false;
      process.stdout.write(problemsText(error));
    }
    process.stdout.write(`waiting for changes of ${workspace.queriesDir}\n`);
  };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let running = run();
  let isQueued = false;
  let timer: NodeJS.Timeout | undefined;
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isQueued) return;
      isQueued = true;
      running = running.then(() => {
        isQueued = false;
        return run();
      });
    }, settleMs);
  };
  const warn = (message: string) => process.stderr.write(`${message}\n`);
  const endWatch = watchPath(workspace.queriesDir, { recursive: true, onChange, warn });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  process.stdout.on('error', () => resolve());
  await ended;
  endWatch();
  clearTimeout(timer);
  await running;
  return isPassing;
}
