import { rejectedNulls } from '../analysis/null-rejection.ts';
import { type RowCondition, rowConditions } from '../analysis/row-conditions.ts';
import { planningCosts } from '../macros/macros.ts';
import { type Constant, type HoistedQuery, hoist, hoistTimes } from '../passes/constants/hoist.ts';
import type { TimeExpression } from '../passes/constants/time-values.ts';
import { duckdbExpressionText, duckdbText } from '../passes/duckdb-text.ts';
import type { KnownValues } from '../passes/pass.ts';
import { runPasses } from '../passes/passes.ts';
import { renderRows } from '../passes/row-text.ts';
import { isTooDeep, isTooLargeForPasses, maxExpandedSize } from '../planning-cost/planning-limits.ts';
import { isCorrelated } from '../tree/aliases-of.ts';
import { column, integerLiteral, select } from '../tree/build.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { forEachNode, mapExpression, mapParts, type Mapper, mapperWith, someNode } from '../tree/map.ts';
import type { Expression, Query, SystemTime, Table } from '../tree/nodes.ts';
import { ownPrefix } from '../tree/own-parameters.ts';
import type { Type } from '../types.ts';

/** SQL that binds constants beside its parameters. */
export interface Plan {
  readonly sql: string;
  /** Each depends on parameters only. */
  readonly constants: readonly PlannedConstant[];
  /** Given if it reads tables in files: for the values of a run it may read some of them. */
  readonly inFiles?: PlanInFiles;
  /** The same rows, if values that limit them are computed first. */
  readonly inSteps?: PlanInSteps;
  /** Given if it reads tables as they were at other times: the same rows, with no other constants than these times. */
  readonly atTimes?: Plan;
}

/** Statements of one snapshot. */
export interface PlanInSteps {
  /** Each returns one value, and binds what the plan does. */
  readonly limits: readonly { readonly name: string; readonly plan: Plan }[];
  /** Binds the values of the limits, too. */
  readonly last: Plan;
}

/** The tables in files that a plan reads. */
export interface PlanInFiles {
  readonly reads: readonly FileRead[];
  /** The SQL of the plan with other relations, in the order of `reads`. */
  sql(relations: readonly string[]): string;
}

/** A table in files that a plan reads, and the conditions of the rows that the result depends on. */
export interface FileRead {
  readonly relation: string;
  /** The stored columns that the plan names. */
  readonly columns: ReadonlySet<string>;
  readonly conditions: readonly RowCondition[];
  /** The time whose rows are read, and the parameters that it comes from. */
  readonly systemTime?: { readonly value: RowCondition['value']; readonly parameters: readonly string[] };
}

/** A value that is computed before the query. */
export interface PlannedConstant {
  /** The name under which the query binds it. */
  readonly name: string;
  /** Reads parameters as columns of the relation `bound`. */
  readonly sql: string;
  readonly hasParameters: boolean;
  /** Computes the value without the database. */
  readonly timeExpression?: TimeExpression;
}

/** A column of the result, in the order of the header. */
export interface PlannedColumn {
  /** The name of the column in the query. */
  readonly name: string;
  readonly type: Type;
  /** The expression that the query selects for a value, which must be cheap to repeat. */
  select(value: Expression): Expression;
}

/** The relation whose row has the parameters of a run as columns. */
export const boundRelation = 'bound';

/** The query for all values of its parameters, without any pass. */
export const genericPlan = (
  query: Query,
  columns: readonly PlannedColumn[],
  maxRows: number,
  finish: FinishPlan = asItIs,
): string => duckdbText(finish(genericTree(query, columns, maxRows)));

/** Rewrites the tree of a plan before it is printed, for a database that needs other SQL. */
export type FinishPlan = (query: Query) => Query;

const asItIs: FinishPlan = (query) => query;

/** The tree of `genericPlan`. */
export function genericTree(query: Query, columns: readonly PlannedColumn[], maxRows: number): Query {
  const fresh = freshNames(query);
  const alias = fresh('rows');
  return select({
    columns: columns.map(({ name, type, select: write }) => ({
      name,
      value: write(column(alias, name, type)),
    })),
    from: { kind: 'derived', alias, query },
    limit: integerLiteral(maxRows + 1),
  });
}

/**
 * The query for some values: the same rows as the generic plan gives, but cheaper to plan and to run.
 *
 * @param without the names of passes that are left out
 */
export const customPlan = (
  query: Query,
  columns: readonly PlannedColumn[],
  maxRows: number,
  known: KnownValues,
  without: ReadonlySet<string> = new Set(),
  finish: FinishPlan = asItIs,
): Plan => {
  const tree = finish(optimized(query, columns, maxRows, known, without));
  const hoisted = hoist(tree);
  const inSteps = planInSteps(hoisted.query);
  return { ...planHoisted(hoisted), ...(inSteps && { inSteps }), ...atTimes(tree) };
};

function atTimes(query: Query): Pick<Plan, 'atTimes'> {
  const hoisted = hoistTimes(query);
  return hoisted ? { atTimes: planHoisted(hoisted) } : {};
}

/**
 * Computes thresholds by statements of their own: DuckDB finds the files and row groups of rows by a comparison with a known
 * value, and not by one with a subquery.
 */
function planInSteps(query: Query): PlanInSteps | undefined {
  const limits: { readonly name: string; readonly plan: Plan }[] = [];
  const mapper: Mapper = mapperWith({
    expression(node) {
      if (node.kind !== 'subquery' || !node.isThreshold || !isSelfContained(node.query))
        return mapParts(node, mapper);
      const name = `${ownPrefix}limit_${limits.length + 1}`;
      limits.push({ name, plan: planHoisted({ query: node.query, constants: [] }) });
      return { kind: 'parameter', name, type: node.type };
    },
  });
  const last = mapper.query(query);
  return limits.length === 0 ? undefined : { limits, last: planHoisted({ query: last, constants: [] }) };
}

/** True if it reads nothing of a query around it. */
const isSelfContained = (query: Query): boolean =>
  !isCorrelated(query) && !someNode(query, ({ kind }) => kind === 'reference');

function optimized(
  query: Query,
  columns: readonly PlannedColumn[],
  maxRows: number,
  known: KnownValues,
  without: ReadonlySet<string>,
): Query {
  const fresh = freshNames(query);
  const alias = fresh('rows');
  // One row more than the maximum shows that the result is truncated.
  const rows = select({
    columns: columns.map(({ name, type }) => ({ name, value: column(alias, name, type) })),
    from: { kind: 'derived', alias, query },
    limit: integerLiteral(maxRows + 1),
  });
  const options = { known, fresh };
  const passed = runPasses(rows, options, without);
  return renderRows(passed, (value, at) => columns[at]?.select(value) ?? value, options);
}

/**
 * As `customPlan`, for a caller's SQL. Only times are computed before the query: other constants would be kept by the
 * workers, and callers choose them.
 */
export function callerPlan(
  query: Query,
  columns: readonly PlannedColumn[],
  maxRows: number,
  known: KnownValues,
): Plan {
  const tree = callerTree(query, columns, maxRows, known);
  if (tree) return printPlan(tree, true);
  const generic = genericTree(query, columns, maxRows);
  const hoisted = hoistTimes(generic);
  return hoisted ? planHoisted(hoisted) : { sql: duckdbText(generic), constants: [] };
}

/** The tree of `callerPlan`; undefined if only the generic one is small enough for DuckDB's planner. */
export function callerTree(
  query: Query,
  columns: readonly PlannedColumn[],
  maxRows: number,
  known: KnownValues,
): Query | undefined {
  if (isTooLargeForPasses(planningCosts.of(query))) return undefined;
  const tree = optimized(query, columns, maxRows, known, withoutThresholds);
  const cost = planningCosts.of(tree);
  // Passes write calls inside others that were in queries of their own.
  return isTooDeep(cost) || cost.size > maxExpandedSize ? undefined : tree;
}

const withoutThresholds: ReadonlySet<string> = new Set(['top n first']);

/**
 * The text of a query whose constants are computed before it.
 *
 * @param timesOnly whether only times are, which need no database
 */
export const printPlan = (query: Query, timesOnly = false): Plan => ({
  ...planHoisted(hoist(query, timesOnly)),
  ...atTimes(query),
});

/** The plan of a query whose constants have been found. */
export function planHoisted({ query, constants }: HoistedQuery): Plan {
  const inFiles = planInFiles(query);
  return {
    sql: duckdbText(query),
    constants: constants.map(plannedConstant),
    ...(inFiles && { inFiles }),
  };
}

function planInFiles(plan: Query): PlanInFiles | undefined {
  const tables: Table[] = [];
  forEachNode(plan, (node) => {
    if (node.kind === 'table' && node.isInFiles) tables.push(node);
  });
  if (tables.length === 0) return undefined;
  const query = withoutPresence(plan, new Set(tables.map(({ alias }) => alias)));
  const columns = new Map<string, Set<string>>();
  forEachNode(query, (node) => {
    if (node.kind !== 'column') return;
    const named = columns.get(node.from) ?? new Set();
    columns.set(node.from, named.add(node.name));
  });
  const conditions = rowConditions(query);
  let last: { readonly relations: readonly string[]; readonly sql: string } | undefined;
  return {
    reads: tables.map(({ alias, relation, systemTime }) => ({
      relation,
      columns: columns.get(alias) ?? new Set(),
      conditions: conditions.get(alias) ?? [],
      ...(systemTime && { systemTime: hoistedTime(systemTime) }),
    })),
    sql(relations) {
      if (last?.relations.every((relation, at) => relation === relations[at])) return last.sql;
      const byAlias = new Map(tables.map(({ alias }, at) => [alias, relations[at]]));
      const mapper: Mapper = mapperWith({
        from(part) {
          const relation = part.kind === 'table' ? byAlias.get(part.alias) : undefined;
          if (part.kind !== 'table' || relation === undefined) return mapParts(part, mapper);
          const { systemTime: _, ...table } = part;
          return { ...table, relation };
        },
      });
      last = { relations, sql: duckdbText(mapper.query(query)) };
      return last.sql;
    },
  };
}

function hoistedTime({ value, parameters }: SystemTime): NonNullable<FileRead['systemTime']> {
  if (value.kind !== 'parameter' && value.kind !== 'literal') throw new Error('a time has not been hoisted');
  return { value, parameters };
}

/**
 * Leaves out the condition that a row has a record where another one already requires a field of it: to find out whether a
 * STRUCT of a file is NULL, DuckDB reads all of it.
 */
function withoutPresence(query: Query, aliases: ReadonlySet<string>): Query {
  const mapper: Mapper = mapperWith({
    query(part) {
      const mapped = mapParts(part, mapper);
      if (mapped.kind !== 'select') return mapped;
      const required = [...rejectedNulls({ ...mapped, where: mapped.where.map(onlyResult) })];
      const isImplied = (from: string, name: string) => {
        const prefix = JSON.stringify([from, `${name}.`]).slice(0, -2);
        return required.some((path) => path.startsWith(prefix));
      };
      const where = mapped.where.filter(
        (test) => test.kind !== 'column' || !aliases.has(test.from) || !isImplied(test.from, test.name),
      );
      return where.length === mapped.where.length ? mapped : { ...mapped, where };
    },
  });
  return mapper.query(query);
}

/** A condition in the form in which it can be interrupted is true only if its one result is. */
function onlyResult(test: Expression): Expression {
  if (test.kind !== 'case' || test.otherwise) return test;
  const [only, another] = test.branches;
  return only && !another ? only.result : test;
}

function plannedConstant({ name, value, timeExpression }: Constant): PlannedConstant {
  const overRow = mapExpression(value, (node) =>
    node.kind === 'parameter' ? column(boundRelation, node.name, node.type) : node,
  );
  return {
    name,
    sql: duckdbExpressionText(overRow),
    hasParameters: someNode(value, ({ kind }) => kind === 'parameter'),
    ...(timeExpression && { timeExpression }),
  };
}
