import { isEqual } from '../../tree/equal.ts';
import { forEachPart, mapParts, type Mapper, mapperWith, someNode } from '../../tree/map.ts';
import type { Expression, Node, Query, Table } from '../../tree/nodes.ts';
import { ownPrefix } from '../../tree/own-parameters.ts';
import { isVolatile } from '../../tree/volatile.ts';
import { duckdbType, isScalar } from '../../types.ts';
import { type TimeExpression, timeExpressionOf } from './time-values.ts';

/** A part of a query that is computed before the query. */
export interface Constant {
  /** The name under which the query binds its value. */
  readonly name: string;
  readonly value: Expression;
  /** Computes the value without the database. */
  readonly timeExpression?: TimeExpression;
}

/** A query whose constants are replaced by parameters. */
export interface HoistedQuery {
  readonly query: Query;
  /** Each depends on parameters only. */
  readonly constants: readonly Constant[];
}

/**
 * Computes before the query what does not depend on rows: DuckDB plans a query again for each set of parameters, and
 * spends most of that time on binding macros.
 *
 * @param timesOnly whether to leave out what only the database can compute
 */
export const hoist = (query: Query, timesOnly = false): HoistedQuery =>
  hoistWhere(query, (node) => isConstant(node) && (!timesOnly || isTime(node)));

/** As `hoist`, for the times of tables only; undefined if all tables are read as they are now. */
export const hoistTimes = (query: Query): HoistedQuery | undefined =>
  someNode(query, (node) => node.kind === 'table' && node.systemTime !== undefined)
    ? hoistWhere(query, () => false)
    : undefined;

function hoistWhere(query: Query, isHoisted: (node: Expression) => boolean): HoistedQuery {
  const constants: Constant[] = [];
  const bind = (value: Expression): Expression => {
    const known = constants.find((other) => isEqual(other.value, value));
    const name = known?.name ?? `${ownPrefix}constant_${constants.length + 1}`;
    if (!known) constants.push(constantOf(name, value));
    return { kind: 'parameter', name, type: value.type };
  };
  const mapper: Mapper = mapperWith({
    expression: (node) => (isHoisted(node) ? bind(node) : mapParts(node, mapper)),
    from: (node) => (node.kind === 'table' ? bindTime(node, bind) : mapParts(node, mapper)),
  });
  return { query: mapper.query(query), constants };
}

/** The snapshot that is read is chosen by the value, before the query. */
function bindTime(table: Table, bind: (value: Expression) => Expression): Table {
  const { systemTime } = table;
  if (
    systemTime === undefined ||
    systemTime.value.kind === 'parameter' ||
    systemTime.value.kind === 'literal'
  )
    return table;
  return { ...table, systemTime: { ...systemTime, value: bind(systemTime.value) } };
}

function constantOf(name: string, value: Expression): Constant {
  const timeExpression = timeOf(value);
  return { name, value, ...(timeExpression && { timeExpression }) };
}

function timeOf(value: Expression): TimeExpression | undefined {
  // An INT64 has the meaning of a time only within its expression.
  const element = value.type.kind === 'array' ? value.type.element : value.type;
  return isScalar(element, 'TIMESTAMP') ? timeExpressionOf(value) : undefined;
}

const isTime = (value: Expression): boolean => timeOf(value) !== undefined;

/** True if a value is the same for all rows, and worth computing before them. */
function isConstant(node: Expression): boolean {
  if (node.kind === 'literal' || node.kind === 'parameter' || duckdbType(node.type) === undefined)
    return false;
  // An infinite side of a range can't be bound.
  if (node.type.kind === 'range') return false;
  return callsMacro(node) && isRowIndependent(node, new Set());
}

const callsMacro = (node: Node): boolean => {
  if (node.kind === 'call' && node.function.startsWith('bq.')) return true;
  let found = false;
  forEachPart(node, (part) => {
    found ||= callsMacro(part);
  });
  return found;
};

/** @param locals the parameters of lambdas around the node that belong to the value itself */
function isRowIndependent(node: Node, locals: ReadonlySet<number>): boolean {
  switch (node.kind) {
    case 'column':
    case 'position':
    case 'aggregate':
    case 'subquery':
      return false;
    case 'local':
      return locals.has(node.id);
    case 'call':
      if (isVolatile(node) || node.function === 'bq.fail' || node.function === 'unnest') return false;
      break;
    case 'lambda':
      return isRowIndependent(node.body, new Set([...locals, ...node.parameters]));
  }
  let independent = true;
  forEachPart(node, (part) => {
    independent &&= isRowIndependent(part, locals);
  });
  return independent;
}
