import { loadCatalog } from '../catalog/folder/load-catalog.ts';
import { type AnalyzedCatalog, anyEngine, buildAnalyze, type Dialect } from './analyze-catalog.ts';
import { withSqlProblems } from './sql-problems.ts';

/**
 * A queries folder as an engine, or any engine, runs it.
 *
 * @throws StartError with every problem of every file
 */
export const loadAnalyzed = (folder: string, engine: Dialect = anyEngine): AnalyzedCatalog =>
  buildAnalyze(engine)(withSqlProblems(engine, () => loadCatalog(folder)));
