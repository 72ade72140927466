import { NotDerivable } from '@querygate/bigquery-sql/derive';
import type { Compiled } from '@querygate/bigquery-sql/tree';
import { problemAt, problemOf } from '@querygate/bigquery-sql/problem';
import { SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { formOf, type QueryForm } from '../../catalog/model/query-forms.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Problem } from '../../errors.ts';
import type { AnalyzedCatalog, Dialect } from '../analyze-catalog.ts';
import type { QueryAnalysis } from '../analyze-query.ts';
import { checkColumns } from '../check-columns.ts';
import { queryProblems } from '../query-problems.ts';

/**
 * Makes a statement from a saved query: engines run it beside the query, and no request names it.
 *
 * @param compiled the tree of the query, before any pass
 * @throws NotDerivable if its rows would not be provably those of the query
 */
export type Derivation = (query: SavedQuery, compiled: QueryAnalysis['compiled']) => DerivedForm;

/** A form of a query that must have further properties. */
export interface DerivedForm extends QueryForm {
  /** Called with the compiled statement. @throws NotDerivable */
  readonly check?: (compiled: Compiled) => void;
}

/** A derived statement as a query that engines run; or why it cannot be derived, at its place in the file. */
export type DerivedQuery =
  | { readonly query: SavedQuery; readonly problem?: undefined }
  | { readonly query?: undefined; readonly problem: Problem };

/**
 * Derives a statement, and checks it as files are checked: it compiles, its columns are those of the form, and it is
 * restricted to tenants. A derived query may be derived again.
 */
export function deriveQuery(
  query: SavedQuery,
  derivation: Derivation,
  { analysisOf }: Pick<AnalyzedCatalog, 'analysisOf'>,
  engine: Pick<Dialect, 'sql'> & { readonly name: string },
): DerivedQuery {
  if (engine.sql === 'native')
    return { problem: problemOf(query.source, `${engine.name} runs SQL of its own`) };
  try {
    const derived = derivation(query, analysisOf(query).compiled);
    const form = formOf(query, derived);
    const { compiled, columns, tenantProblems } = analysisOf(form);
    const statement = compiled();
    derived.check?.(statement);
    const [message] = checkColumns(form.columns, columns() ?? []);
    if (message !== undefined) return { problem: withoutPlace(query, { message }) };
    const [problem] = tenantProblems();
    return problem === undefined ? { query: form } : { problem: withoutPlace(query, problem) };
  } catch (error) {
    return { problem: problemFor(query, error) };
  }
}

function problemFor(query: SavedQuery, error: unknown): Problem {
  const { sql, source } = query;
  if (error instanceof NotDerivable && error.start !== undefined)
    return problemAt(sql, source, error.start, error.message);
  if (error instanceof NotDerivable) return problemOf(source, error.message);
  if (error instanceof SyntaxProblem) return problemAt(sql, source, error.offset, error.message);
  const [problem] = queryProblems(query, error);
  return withoutPlace(query, problem ?? { message: String(error) });
}

/** A place in a derived text is not in the file. */
const withoutPlace = ({ source }: SavedQuery, { message }: Problem): Problem =>
  problemOf(source, `the statement made from it is not right: ${message}`);
