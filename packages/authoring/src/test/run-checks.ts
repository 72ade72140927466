import type { AnalyzedCatalog, Engine } from 'querygate';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { assertionProblems, bind, loadChecks, LoopTurns } from 'querygate/catalog';
import type { CheckFile } from '../catalog-types.ts';
import type { Workspace } from '../workspace.ts';
import { requireFixtures } from './fixture-engine.ts';
import { inParallel, type TestOutcome } from './run-files.ts';
import { assertionProblem } from './run-test.ts';

/**
 * The files of checks: `checks/<name>.sql` in the queries folder.
 *
 * @param names as in `checks/<name>`, among those of queries; empty for all
 * @returns those with these names, and the names of all
 * @throws ProblemError with the problems of those files
 */
export function loadCheckFiles(
  { tables }: AnalyzedCatalog,
  { queriesDir, engine }: Pick<Workspace, 'queriesDir' | 'engine'>,
  names: readonly string[],
): { readonly files: readonly CheckFile[]; readonly names: readonly string[] } {
  const all = loadChecks(queriesDir);
  const files = all.filter(({ name }) => names.length === 0 || names.includes(name));
  const assertions = files.flatMap((file) => file.assertions);
  const problems = [
    ...files.flatMap((file) => file.problems),
    ...assertionProblems(assertions, tables, engine),
  ];
  if (problems.length > 0) throw new ProblemError('The checks have problems', problems);
  return { files, names: all.map(({ name }) => name) };
}

/** Runs the ASSERT statements of files on the rows of the engine, of all tenants. */
export async function runChecks(
  files: readonly CheckFile[],
  catalog: AnalyzedCatalog,
  workspace: Workspace,
): Promise<readonly TestOutcome[]> {
  const checks = files.flatMap(({ name, file, assertions }) => {
    const shown = { file, query: { name, sql: '', columns: [] } };
    return assertions.map((assertion, at) => ({ file: shown, assertion, at }));
  });
  if (checks.length === 0) return [];
  const queries = checks.map(({ assertion }) => assertion.query);
  const engine = await openEngine({ ...catalog, queries }, workspace);
  const { signal } = new AbortController();
  try {
    return await inParallel(checks, workspace.limits.concurrency, async ({ file, assertion, at }) => {
      const startedAt = performance.now();
      const now = new Date();
      const bound = bind(assertion.query, new Map(), now.getTime());
      const reason = await assertionProblem(assertion, () => engine.run(bound, { signal }));
      return {
        file,
        test: {
          ...{ name: assertion.title, at, line: assertion.place.line ?? 1, now, parameters: {} },
          expect: undefined,
        },
        verdict: reason === undefined ? { passed: true } : { passed: false, reason },
        result: undefined,
        elapsedMs: performance.now() - startedAt,
      };
    });
  } finally {
    await engine.close();
  }
}

/** Rows are loaded only if a check reads a table. */
function openEngine(catalog: AnalyzedCatalog, workspace: Workspace): Promise<Engine> {
  const problem = (message: string) => void process.stderr.write(`${message}\n`);
  const host = {
    catalog,
    limits: workspace.limits,
    now: () => new Date(),
    events: { problem, news: () => {} },
    turns: new LoopTurns(),
  };
  return catalog.queries.some((query) => readsTables(query, catalog))
    ? workspace.openEngine(host)
    : requireFixtures(workspace.engine)(host, {});
}

/** Of SQL that cannot be compiled, as of functions that only an engine has, it is not known. */
function readsTables(query: AnalyzedCatalog['queries'][number], { analysisOf }: AnalyzedCatalog): boolean {
  try {
    return analysisOf(query).compiled().tables.length > 0;
  } catch (error) {
    if (error instanceof ProblemError) return true;
    throw error;
  }
}
