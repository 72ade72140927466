import { foldName } from '@querygate/text';
import { unreadableFields } from '../analysis/unreadable-fields.ts';
import {
  type Compiled,
  describeViews,
  type ListedView,
  parse,
  rules,
  tablesOf as tablesReadBy,
} from '../compile.ts';
import { ProblemError, problemAt, problemOf, type Source } from '../problem.ts';
import { buildContext, type Context, type ResolvedQuery, type Rules } from '../rules/context.ts';
import { describingViews } from '../rules/from/described-tables.ts';
import { describeRelation, viewRelations, viewsOf } from '../rules/from/information-schema.ts';
import { tableRelations } from '../rules/from/table-relations.ts';
import { tableReferences } from '../rules/queries/table-references.ts';
import { resolveWith } from '../rules/queries/with.ts';
import { childOf, emptyScope, type Scope } from '../rules/scope.ts';
import { sqlFunctions } from '../rules/sql-function.ts';
import { messageOf, type Unsupported } from '../rules/unsupported.ts';
import { tableParameters } from '../syntax/named-parameters.ts';
import type { CommonTable, Query, Statement, With } from '../syntax/nodes.ts';
import { type OutsideTable, outsideNames } from '../syntax/outside-names.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import type { CommonTable as TreeTable } from '../tree/nodes.ts';
import type { StoredTable } from '../tree/stored-table.ts';
import { withTables } from '../tree/with-tables.ts';
import { parameterTypeIn, sameName, type Type, type TypedParameter } from '../types.ts';
import { bigqueryText, untilLastSelect } from './bigquery-text.ts';
import { boundedRules, maxProblems } from './bounded-rules.ts';
import type { Names } from './check-syntax.ts';
import { type ExportedTable, exportTable } from './exported-table.ts';
import { filterFirst, type Tenant } from './filter-first.ts';
import { type CallerNames, judge, resolveCaller } from './judge.ts';
import type { Outline } from './outline.ts';

/** A saved query whose last SELECT callers may replace by their own. */
export interface Sandbox {
  /** Its common tables, which are all that a caller's SQL can read. */
  readonly tables: readonly string[];
  /**
   * Judges a caller's SQL: one SELECT over the common tables, with the parameters that these use.
   *
   * @throws ProblemError with one problem, at its place in the caller's text
   */
  judge(sql: string): JudgedSql;
  /** All rows of one common table, as a caller can read them at most. */
  readAll(table: string): Compiled;
  /** The same over tables as they are stored: their schemas are those with which it was opened. */
  over(tables: readonly StoredTable[]): Sandbox;
  /** The common tables as queries by themselves, for a process that has only their rows. */
  exportTables(): readonly ExportedTable[];
  /** The outline by which such a process judges callers' SQL. */
  outline(exported: readonly ExportedTable[]): Outline;
}

/** A caller's SQL that may run. */
export interface JudgedSql {
  /** The common tables that it reads, and the caller's query over them. */
  readonly compiled: Compiled;
  /** The same as one text for BigQuery. */
  readonly bigqueryText: () => string;
}

/** A query whose last SELECT may be replaced. */
export interface SandboxedQuery {
  readonly sql: string;
  readonly source: Source;
  readonly parameters: readonly TypedParameter[];
  readonly tenant?: Tenant | undefined;
  /** Common tables that callers cannot name: only the others read them. */
  readonly hiddenTables?: readonly string[] | undefined;
  readonly listedViews?: readonly ListedView[] | undefined;
}

interface SandboxOptions {
  /** True if the saved query may read other tables too, whose columns are not known. */
  readonly hasOpenTables?: boolean;
  /** The sandbox's name in messages about the saved query: `a sandbox` by default. */
  readonly subject?: string;
}

/**
 * Compiles the common tables of a saved query, over which the SQL of callers can then be judged and compiled.
 *
 * @param tables those that the saved query may read; a caller's SQL reads none of them by itself
 * @throws ProblemError if the saved query has no common tables, or recursive ones, or can't be compiled
 */
export function openSandbox(
  query: SandboxedQuery,
  tables: readonly StoredTable[],
  { hasOpenTables = false, subject = 'a sandbox' }: SandboxOptions = {},
): Sandbox {
  const { sql, source, parameters, hiddenTables = [] } = query;
  const statement = parse(sql, source);
  if (statement.script.length > 0)
    throw new ProblemError('A saved query cannot take SQL', [
      problemOf(source, `${subject} does not work with a script: write its tables in a WITH clause`),
    ]);
  const commonTables = requireCommonTables(statement.query, hiddenTables, source, subject);
  const used = tableParameters(statement);
  const names: Names = {
    tables: commonTables.tables.map(({ name }) => name.name).filter((name) => !hiddenTables.includes(name)),
    hidden: hiddenTables,
    parameters: parameters.map(({ name }) => name).filter((name) => used.has(foldName(name))),
    functions: new Set(statement.functions.map(({ name }) => foldName(name.parts[0].name))),
  };
  const sandbox = sandboxOver({ query, statement, commonTables, names, hasOpenTables }, tables);
  if (outsideNames(statement).tables.some(isWildcard)) requireReadable(sandbox, query);
  return sandbox;
}

const isWildcard = ({ node }: OutsideTable): boolean =>
  node.kind === 'Table' && node.path.parts.at(-1)?.name.endsWith('*') === true;

/** Callers may read each column of the common tables. */
function requireReadable(sandbox: Sandbox, { sql, source }: SandboxedQuery): void {
  const read = sandbox.tables.flatMap((table) => unreadableFields(sandbox.readAll(table).query));
  const messages = new Map(read.map(({ message, start }) => [message, start]));
  if (messages.size === 0) return;
  const problems = [...messages].map(([message, start]) => problemAt(sql, source, start, message));
  throw new ProblemError('A saved query cannot take SQL', problems);
}

/** A saved query with its common tables, whatever the tables are that these read. */
interface SavedTables extends Required<Pick<SandboxOptions, 'hasOpenTables'>> {
  readonly query: SandboxedQuery;
  readonly statement: Statement;
  readonly commonTables: With;
  readonly names: Names;
}

function sandboxOver(saved: SavedTables, tables: readonly StoredTable[]): Sandbox {
  const { query, names } = saved;
  const { parameters, tenant } = query;
  const stored: StoredNames = {
    relations: tableRelations(tables),
    views: viewsOf(tables, () => describeViews(query.listedViews, tables)),
  };
  const selectAll = (table: string) => parseQuery(`SELECT * FROM \`${table}\``).query;
  // It is the most work that is done for a saved query: once for its rows and for what describes them.
  const resolveTable = memoizeByName((table) => {
    const { given, context } = resolveTables(saved, stored, selectAll(table));
    const relation = given.relations.get(foldName(table));
    if (relation === undefined) throw new Error(`no common table ${table}`);
    return { relation, tables: given.tables, fresh: context.fresh };
  });
  const views = describingViews(() =>
    names.tables.map((name) => describeRelation(name, resolveTable(name).relation)),
  );
  const viewsOfCaller = viewRelations(views);
  const parameterType = (name: string) =>
    parameters.some((parameter) => sameName(parameter.name, name))
      ? parameterTypeIn(parameters)(name)
      : undefined;
  return {
    tables: names.tables,
    over: (others) => sandboxOver(saved, others),
    judge(sql) {
      const { statement, resolved } = judge(sql, names, (read) =>
        resolve(saved, stored, read, viewsOfCaller, (table, { fresh }) => filterFirst(table, tenant, fresh)),
      );
      const beforeSelect = () => untilLastSelect(query.sql, saved.statement, saved.commonTables);
      return {
        compiled: compiledOf(resolved),
        bigqueryText: () => bigqueryText(beforeSelect(), names.tables, sql, statement),
      };
    },
    readAll: (table) => compiledOf(resolve(saved, stored, selectAll(table), new Map())),
    exportTables: () => [
      ...names.tables.map((table) => {
        const { relation, tables: needed, fresh } = resolveTable(table);
        return exportTable(table, relation, needed, { fresh, parameterType });
      }),
      ...views.map((view) => exportView(view, parameterType)),
    ],
    outline: (exported) => ({ names, parameters, tables: exported.map(({ outline }) => outline) }),
  };
}

/** The common tables that a query over them needs, as they are in the typed tree. */
function resolveTables(
  { query: { parameters }, statement, commonTables, names, hasOpenTables }: SavedTables,
  stored: StoredNames,
  read: Query,
) {
  const { bound, ...switched } = buildSwitchedContext(parameterTypeIn(parameters));
  const functions = sqlFunctions(statement.functions);
  const root: Scope = { ...emptyScope, ...stored, hasOpenTables, functions };
  const needed = neededTables(commonTables, read, names.tables);
  const { tables, scope } = resolveWith({ ...commonTables, tables: needed }, childOf(root), switched.context);
  const visible = [...scope.relations].filter(([name]) => names.tables.some((one) => sameName(one, name)));
  const given = { tables, relations: new Map(visible) };
  const [problem] = switched.problems;
  if (problem) throw new Error(`the common tables of a saved query: ${messageOf(problem)}`);
  bound();
  return { given, ...switched };
}

function resolve(
  saved: SavedTables,
  stored: StoredNames,
  query: Query,
  views: CallerNames['views'],
  prepare: (table: TreeTable, context: Context) => TreeTable = (table) => table,
): ResolvedQuery {
  const { given, context, problems } = resolveTables(saved, stored, query);
  const resolved = resolveCaller(query, { relations: given.relations, views }, { context, problems });
  const read = given.tables.map((table) => prepare(table, context));
  return { ...resolved, query: withTables(read, resolved.query) };
}

/** The stored tables, by the names that the saved query gives them. */
type StoredNames = Required<Pick<Scope, 'relations' | 'views'>>;

function memoizeByName<T>(make: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const value = known.get(name) ?? make(name);
    known.set(name, value);
    return value;
  };
}

/** A view of the common tables as one of them. */
function exportView(view: StoredTable, parameterType: (name: string) => Type | undefined): ExportedTable {
  const [relation] = tableRelations([view]).values();
  if (relation === undefined) throw new Error('a view without a relation');
  const { fresh } = buildContext(rules, { parameterType: parameterTypeIn([]) }).context;
  return exportTable(view.name, relation, [], { fresh, parameterType });
}

const compiledOf = ({ query, columns }: ResolvedQuery): Compiled => ({
  query,
  columns,
  tables: tablesReadBy(query),
});

function requireCommonTables(
  { with: commonTables }: Query,
  hidden: readonly string[],
  source: Source,
  subject: string,
): With {
  const problem = commonTablesProblem(commonTables, hidden);
  if (commonTables && problem === undefined) return commonTables;
  throw new ProblemError('A saved query cannot take SQL', [problemOf(source, `${subject} ${problem}`)]);
}

function commonTablesProblem(commonTables: With | undefined, hidden: readonly string[]): string | undefined {
  if (commonTables === undefined || commonTables.tables.every(({ name }) => hidden.includes(name.name)))
    return "needs a WITH clause: its common tables are what a caller's SQL reads";
  if (commonTables.recursive) return 'does not work with WITH RECURSIVE';
  // In FROM it is the name of a data set and a table.
  const withDot = commonTables.tables.find(({ name }) => name.name.includes('.'));
  return withDot && `does not work with the common table ${withDot.name.name}: its name has a dot`;
}

/** The common tables that a query reads, directly or through others, in their order. @param visible those that it can name */
function neededTables({ tables }: With, query: Query, visible: readonly string[]): readonly CommonTable[] {
  const read = new Set(
    [...tableReferences(query)].filter((name) => visible.some((one) => sameName(one, name))),
  );
  const needed: CommonTable[] = [];
  for (const table of tables.toReversed()) {
    if (!read.has(foldName(table.name.name))) continue;
    needed.unshift(table);
    // A table that reads another one of its own name reads one before it, or a stored one.
    for (const name of tableReferences(table.query)) read.add(name);
  }
  return needed;
}

/** A context whose rules are those of saved queries until `bound` is called. */
function buildSwitchedContext(parameterType: (name: string) => Type): {
  readonly context: Context;
  readonly problems: readonly Unsupported[];
  bound(): void;
} {
  const strict = boundedRules(rules);
  let current: Rules = rules;
  const switched: Rules = {
    expression: (node, scope, within) => current.expression(node, scope, within),
    query: (node, scope, within) => current.query(node, scope, within),
    from: (node, scope, within) => current.from(node, scope, within),
    get limits() {
      return current.limits;
    },
  };
  const { context, problems } = buildContext(switched, { parameterType, maxProblems });
  return {
    context,
    problems,
    bound() {
      current = strict;
    },
  };
}
