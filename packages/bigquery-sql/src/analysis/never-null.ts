import { callOnce } from '../tree/build.ts';
import { macroName } from '../tree/macro-name.ts';
import { forEachPart } from '../tree/map.ts';
import type { Aggregate, Expression, From, Query, Select } from '../tree/nodes.ts';
import { resultMembers } from '../tree/query-parts.ts';
import { isScalar } from '../types.ts';
import { pathText, rejectedNulls } from './null-rejection.ts';
import { isStrictFunction, isStrictOperator } from './strictness.ts';

/** The common tables that a query may read, by name, each with those that it may read itself. */
type Tables = ReadonlyMap<string, CommonTable>;

interface CommonTable {
  readonly query: Query;
  readonly tables: Tables;
}

/**
 * True if a column of a query's result surely is never NULL, and never NaN or infinite, which results leave out like
 * NULL; false if that is not known.
 */
export function isNeverNull(query: Query, at: number, tables: Tables = new Map()): boolean {
  switch (query.kind) {
    case 'set':
      return query.inputs.every((input) => isNeverNull(input, at, tables));
    case 'with': {
      const known = new Map(tables);
      for (const { name, query: inner, recursive } of query.tables) {
        if (!recursive) known.set(name, { query: inner, tables: new Map(known) });
      }
      return isNeverNull(query.body, at, known);
    }
    case 'select': {
      const value = query.columns[at]?.value;
      return value !== undefined && isValue(value, query, tables) && !mayBeNaN(value, query, tables);
    }
  }
}

/**
 * True if a FLOAT64 may be a value that JSON has no number for: values of tables may be. BigQuery's arithmetic of
 * finite numbers fails instead.
 */
function mayBeNaN(value: Expression, select: Select, tables: Tables): boolean {
  if (!isScalar(value.type, 'FLOAT64') && value.type.kind !== 'unknown') return false;
  if (value.kind === 'column')
    return value.type.kind !== 'unknown' && !isColumn(value.from, value.name, select, tables);
  let found = false;
  forEachPart(value, (part) => {
    // A text that is converted may be `nan`.
    found ||= 'type' in part && (isScalar(part.type, 'STRING') || mayBeNaN(part, select, tables));
  });
  return found;
}

const testOperators = /^IS /;

const countingFunctions: ReadonlySet<string> = new Set([
  'count',
  'row_number',
  'rank',
  'dense_rank',
  'ntile',
  'grouping',
]);
const extremes: ReadonlySet<string> = new Set([
  'min',
  'max',
  'sum',
  'avg',
  'any_value',
  'first',
  'list',
  'array_agg',
]);

function isValue(value: Expression, select: Select, tables: Tables): boolean {
  const every = (parts: readonly Expression[]) => parts.every((part) => isValue(part, select, tables));
  switch (value.kind) {
    case 'literal':
      return value.value !== null;
    case 'parameter':
      // One that is bound as another type than STRING may be absent, and NULL.
      return isScalar(value.type, 'STRING') || value.type.kind === 'array';
    case 'struct':
    case 'list':
      return true;
    case 'subquery':
      return value.form === 'exists' || value.form === 'array';
    case 'column':
      // Keys of other grouping sets are NULL.
      if (select.groupBy?.sets) return false;
      return (
        value.required === true ||
        isColumn(value.from, value.name, select, tables) ||
        isRejected(value, select)
      );
    case 'field':
      return !select.groupBy?.sets && isRejected(value, select);
    // The parameter of a function whose arguments are computed once, which are checked where it is called.
    case 'local':
      return true;
    case 'element': {
      if (value.of.kind === 'local') return true;
      const once = callOnce(value);
      return once !== undefined && every([...once.args, once.result]);
    }
    case 'cast':
      return isValue(value.value, select, tables);
    case 'case':
      return (
        value.otherwise !== undefined &&
        every([value.otherwise, ...value.branches.map(({ result }) => result)])
      );
    case 'operation':
      if (testOperators.test(value.operator)) return true;
      if (value.operator === 'AND' || value.operator === 'OR' || value.operator === 'IN')
        return every(value.operands);
      return isStrictOperator(value) && every(value.operands);
    case 'call': {
      if (value.function === 'coalesce') return value.args.some((arg) => isValue(arg, select, tables));
      return isStrictFunction(value.function) && every(value.args);
    }
    case 'aggregate':
      return isAggregate(value, select, tables);
    default:
      return false;
  }
}

/** True if the conditions of WHERE and of joins drop every row in which a path is NULL. */
function isRejected(value: Expression, select: Select): boolean {
  const path = pathText(value);
  return path !== undefined && rejectedNulls(select).has(path);
}

function isAggregate(value: Aggregate, select: Select, tables: Tables): boolean {
  const name = macroName(value.function) ?? value.function;
  if (countingFunctions.has(name)) return true;
  // A group has at least one row; without keys, there may be no row at all.
  const hasRows = select.groupBy !== undefined && select.groupBy.keys.length > 0 && !select.groupBy.sets;
  return (
    extremes.has(name) &&
    hasRows &&
    value.filter === undefined &&
    value.over === undefined &&
    value.args.every((arg) => isValue(arg, select, tables))
  );
}

function isColumn(alias: string, name: string, { from }: Select, tables: Tables): boolean {
  if (!from) return false;
  const item = certainItem(from, alias);
  if (item?.kind === 'derived') return isMember(item.query, name, tables);
  const common = item?.kind === 'reference' ? tables.get(item.name) : undefined;
  return common !== undefined && isMember(common.query, name, common.tables);
}

function isMember(query: Query, name: string, tables: Tables): boolean {
  const at = resultMembers(query).findIndex((member) => member.name === name);
  return at >= 0 && isNeverNull(query, at, tables);
}

/** The item of FROM with the alias, unless an outer join may leave it out. */
function certainItem(from: From, alias: string): From | undefined {
  if (from.kind === 'join') {
    const left = from.join === 'RIGHT' || from.join === 'FULL' ? undefined : certainItem(from.left, alias);
    if (left !== undefined) return left;
    return from.join === 'LEFT' || from.join === 'FULL' ? undefined : certainItem(from.right, alias);
  }
  if (from.kind === 'sample') return certainItem(from.of, alias);
  return from.alias === alias ? from : undefined;
}
