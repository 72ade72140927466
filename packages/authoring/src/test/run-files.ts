import type { SavedQuery } from 'querygate';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import type { QueryTest, TestFile } from './load-tests.ts';
import type { FixtureEngine } from './fixture-engine.ts';
import { judge, runAsserts, runTest, type TestResult, type Verdict } from './run-test.ts';

export interface TestOutcome {
  /** A file of tests, or of checks. */
  readonly file: Pick<TestFile, 'file'> & { readonly query: Pick<SavedQuery, 'name' | 'sql' | 'columns'> };
  readonly test: Pick<QueryTest, 'name' | 'at' | 'line' | 'now' | 'parameters' | 'expect'>;
  readonly verdict: Verdict;
  /** Undefined if the test could not be run. */
  readonly result: TestResult | undefined;
  readonly elapsedMs: number;
}

/** Opens an engine with the rows of some tests. */
export type Open = (queries: readonly SavedQuery[], fixtures: QueryTest['tables']) => Promise<FixtureEngine>;

interface RunOptions {
  readonly open: Open;
  /** How many engines are open at once. */
  readonly parallel: number;
}

/** Tests with the same rows share an engine. */
interface TestGroup {
  readonly file: TestFile;
  readonly tests: readonly QueryTest[];
}

const groupsOf = (file: TestFile): readonly TestGroup[] =>
  [...Map.groupBy(file.tests, ({ tables }) => JSON.stringify(tables)).values()].map((tests) => ({
    file,
    tests,
  }));

/** Runs all tests, in the order of the files. */
export async function runFiles(
  files: readonly TestFile[],
  { open, parallel }: RunOptions,
): Promise<readonly TestOutcome[]> {
  const groups = files.flatMap(groupsOf);
  const outcomes = await inParallel(groups, parallel, (group) => runGroup(group, open));
  const all = outcomes.flat();
  return files.flatMap((file) =>
    all.filter((outcome) => outcome.file === file).sort((a, b) => a.test.at - b.test.at),
  );
}

/** Calls a function for each item, for some of them at the same time. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  // One iterator for all: each takes the next item when it has finished one.
  const entries = items.entries();
  const takeItems = async () => {
    for (const [at, item] of entries) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, takeItems));
  return results;
}

async function runGroup({ file, tests }: TestGroup, open: Open): Promise<readonly TestOutcome[]> {
  const { query } = file;
  const openedAt = performance.now();
  let fixtures: FixtureEngine;
  try {
    const asserted = tests.flatMap(({ asserts }) => asserts.map((one) => one.query));
    fixtures = await open([query, ...asserted], tests[0]?.tables ?? {});
  } catch (error) {
    const verdict = failedToRun(error);
    const elapsedMs = performance.now() - openedAt;
    return tests.map((test) => ({ file, test, verdict, result: undefined, elapsedMs }));
  }
  try {
    const outcomes: TestOutcome[] = [];
    let startedAt = openedAt;
    for (const test of tests) {
      const ran = await judgedRun(query, test, fixtures).catch((error: unknown) => ({
        result: undefined,
        verdict: failedToRun(error),
      }));
      outcomes.push({ file, test, ...ran, elapsedMs: performance.now() - startedAt });
      startedAt = performance.now();
    }
    return outcomes;
  } finally {
    await fixtures.close();
  }
}

async function judgedRun(
  query: SavedQuery,
  test: QueryTest,
  fixtures: FixtureEngine,
): Promise<Pick<TestOutcome, 'result' | 'verdict'>> {
  const result = await runTest(query, test, fixtures);
  const verdict = judge(query, test, result);
  const ofAsserts =
    verdict.passed || !('error' in result) ? await runAsserts(query, test, fixtures) : undefined;
  if (verdict.passed || ofAsserts === undefined) return { result, verdict: ofAsserts ?? verdict };
  const reason = `${verdict.reason}\n${ofAsserts.reason}`;
  return { result, verdict: { ...verdict, reason, ofAsserts } };
}

/** The verdict on a test that the engine cannot run, as on BigQuery one of a wildcard table. */
function failedToRun(error: unknown): Verdict {
  if (!(error instanceof ProblemError)) throw error;
  return { passed: false, reason: error.message };
}
