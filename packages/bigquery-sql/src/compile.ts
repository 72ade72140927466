import { unreadableFields } from './analysis/unreadable-fields.ts';
import { keysBeforeGroups } from './passes/after-grouping.ts';
import { computeFrameKeys } from './passes/rewriting/frame-keys.ts';
import { drawOnce } from './passes/rewriting/random-operands.ts';
import { type Problem, ProblemError, problemAt, problemOf, type Source } from './problem.ts';
import { buildContext, type Observer, type ResolvedQuery, type Rules } from './rules/context.ts';
import { resolveExpression } from './rules/expressions/expression.ts';
import { resolveFrom } from './rules/from/from.ts';
import type { DescribedTable } from './rules/from/described-tables.ts';
import { describeRelation, viewsOf } from './rules/from/information-schema.ts';
import { tableRelations } from './rules/from/table-relations.ts';
import { resolveQuery } from './rules/queries/query.ts';
import { emptyScope, type RelationColumn } from './rules/scope.ts';
import { resolveScript } from './rules/script.ts';
import { sqlFunctions } from './rules/sql-function.ts';
import { messageOf } from './rules/unsupported.ts';
import type { Statement } from './syntax/nodes.ts';
import { parseQuery } from './syntax/parse-query.ts';
import { SyntaxProblem } from './syntax/syntax-problem.ts';
import { distinctAliases } from './tree/fresh-aliases.ts';
import { forEachNode } from './tree/map.ts';
import type { Query } from './tree/nodes.ts';
import type { StoredTable } from './tree/stored-table.ts';
import { isRandom } from './tree/volatile.ts';
import { parameterTypeIn, type TypedParameter, withoutCollation } from './types.ts';

/** A query of BigQuery as a typed tree. */
export interface Compiled {
  readonly query: Query;
  readonly columns: readonly RelationColumn[];
  /** The names of the tables that it reads. */
  readonly tables: readonly string[];
}

/** A view that INFORMATION_SCHEMA lists, as a query. */
export interface ListedView {
  readonly name: string;
  readonly sql: string;
}

interface CompiledSql {
  readonly sql: string;
  readonly source: Source;
  readonly listedViews?: readonly ListedView[] | undefined;
  /** Those that are declared; others are STRING. */
  readonly parameters?: readonly TypedParameter[];
}

interface CompileOptions extends Observer {
  /** True if the query may read other tables too: their columns are not known, and the tree can't be printed. */
  readonly hasOpenTables?: boolean;
  /**
   * Finds what is wrong with the columns that the query returns. It is called only if a part of the query is wrong too: a
   * clause that names a missing column would otherwise be the only problem that is reported.
   */
  readonly checkColumns?: (columns: readonly RelationColumn[]) => readonly string[];
}

/** The rules of GoogleSQL. */
export const rules: Rules = { expression: resolveExpression, query: resolveQuery, from: resolveFrom };

/**
 * Compiles a query into the tree of a DuckDB query of the same meaning. It needs a database on which
 * `macroDefinitions()` has run and a connection with `sessionSettings`. `$current_timestamp`, if it occurs, is the time
 * of the run.
 *
 * @param tables the tables that the query may read
 * @throws ProblemError with every part of the query that is unsupported or wrong
 */
export function compile(
  { sql, source, parameters, listedViews }: CompiledSql,
  tables: readonly StoredTable[],
  { hasOpenTables = false, checkColumns = () => [], ...observer }: CompileOptions = {},
): Compiled {
  const statement = parse(sql, source);
  const { context, problems } = buildContext(
    rules,
    { parameterType: parameterTypeIn(parameters), ...observer },
    tables.flatMap(({ fields, columns = fields }) => columns.map(({ name }) => name)),
  );
  const scope = {
    ...emptyScope,
    relations: tableRelations(tables),
    views: viewsOf(tables, () => describeViews(listedViews, tables)),
    hasOpenTables,
    functions: sqlFunctions(statement.functions, (step) => context.attempt(step, undefined)),
  };
  const resolved = context.attempt(() => resolveScript(statement, scope, context), undefined);
  if (!resolved || problems.length > 0) {
    const isComplete =
      resolved && !resolved.acceptsAnyColumn && !resolved.columns.some(({ isDoubtful }) => isDoubtful);
    const ofColumns = isComplete ? checkColumns(resolved.columns) : [];
    // The body of a function that is called several times is resolved as often.
    const shown = problems.map((problem) => ({ start: problem.place.start, message: messageOf(problem) }));
    const places = new Map(shown.map((problem) => [`${problem.start} ${problem.message}`, problem]));
    throw startError([
      ...[...places.values()].map(({ start, message }) => problemAt(sql, source, start, message)),
      ...ofColumns.map((message) => problemOf(source, message)),
    ]);
  }
  const unreadable = unreadableFields(resolved.query);
  if (unreadable.length > 0)
    throw startError(unreadable.map(({ start, message }) => problemAt(sql, source, start, message)));
  const columns = resultColumns(resolved);
  const drawn = isRandom(resolved.query) ? drawOnce(resolved.query, context.fresh) : resolved.query;
  const resolvedQuery = distinctAliases(keysBeforeGroups(drawn, context.fresh), context.fresh);
  const query = computeFrameKeys(resolvedQuery, context.fresh);
  return { query, columns, tables: tablesOf(query) };
}

/** Views as INFORMATION_SCHEMA lists them; one that cannot be compiled is without its columns. */
export const describeViews = (
  views: readonly ListedView[] = [],
  tables: readonly StoredTable[],
): readonly DescribedTable[] =>
  views.map(({ name, sql }) => {
    const path = name.split('.');
    const shown = path.pop() ?? '';
    try {
      const { columns } = compile({ sql, source: { file: name, line: 1 } }, tables);
      // A view declares no column that is never NULL.
      return { ...describeRelation(shown, { columns: columns.map(nullable) }), path };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { name: shown, path, kind: 'VIEW', columns: [] };
    }
  });

const nullable = ({ required: _, ...column }: RelationColumn): RelationColumn => column;

/** The columns as a result has them, which says nothing of how their texts are compared. */
export const resultColumns = ({ columns }: ResolvedQuery): readonly RelationColumn[] =>
  columns.map((column) => ({ ...column, type: withoutCollation(column.type) }));

/** @throws ProblemError if the text is not a query */
export function parse(sql: string, source: Source): Statement {
  try {
    return parseQuery(sql);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    throw startError([problemAt(sql, source, error.offset, error.message)]);
  }
}

/**
 * Refuses a query that reads tables as they were at another time, for what runs it over tables with rows of now only.
 *
 * @throws ProblemError with each of these tables
 */
export function requireNow(query: Query, { sql, source }: Pick<CompiledSql, 'sql' | 'source'>): void {
  const problems: Problem[] = [];
  forEachNode(query, (node) => {
    if (node.kind !== 'table' || node.systemTime === undefined) return;
    const message = `FOR SYSTEM_TIME AS OF is not supported, because ${node.name} has only its rows of now: write CURRENT_TIMESTAMP(), filter by a column with the time, or keep the table in a DuckLake`;
    problems.push(problemAt(sql, source, node.systemTime.start, message));
  });
  if (problems.length > 0) throw startError(problems);
}

const startError = (problems: readonly Problem[]) =>
  new ProblemError('SQL that is wrong, or that the DuckDB engine does not support', problems);

/** The names of the tables that a query reads. */
export function tablesOf(query: Query): readonly string[] {
  const names = new Set<string>();
  forEachNode(query, (node) => {
    if (node.kind === 'table') names.add(node.name);
  });
  return [...names];
}
