import type * as Syntax from '../../syntax/nodes.ts';
import type { CommonTable, SortKey } from '../../tree/nodes.ts';
import { sameName } from '../../types.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import { requireBool } from '../expressions/comparison.ts';
import { sortKeys } from '../expressions/sort-order.ts';
import { joinRight } from '../from/joins.ts';
import { pivotFrom } from '../from/pivot.ts';
import { sampled } from '../from/sampled.ts';
import { unpivotFrom } from '../from/unpivot.ts';
import { withWindows } from '../functions/windows.ts';
import { distinctRows, requireDistinguishable, someAggregate } from '../queries/after-grouping.ts';
import { numberedOutput } from '../queries/grouping.ts';
import { resolveLimit } from '../queries/limit.ts';
import type { Output } from '../queries/outputs.ts';
import { hasStar, rowValue, selectList } from '../queries/select-list.ts';
import { combine } from '../queries/set-operations.ts';
import { resolveWith } from '../queries/with.ts';
import {
  absentIn,
  childOf,
  emptyScope,
  fieldsNamed,
  findAbsent,
  type Range,
  requireOnce,
  type Scope,
  unknownColumn,
} from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { aggregate } from './aggregate.ts';
import { fromOf, namedRows, nest, type Rows, rowsOf, rowsOfFrom, scopeOf, toQuery } from './pipe-rows.ts';

/** Applies pipe operators one after the other. @returns the rows, and the common tables that they read */
export function applyPipes(
  pipes: readonly Syntax.PipeOperator[],
  first: Rows,
  outer: Scope,
  context: Context,
): { readonly rows: Rows; readonly tables: readonly CommonTable[] } {
  let [rows, scope] = [first, outer];
  const tables: CommonTable[] = [];
  for (const pipe of pipes) {
    if (pipe.kind === 'PipeWith') {
      const added = resolveWith(pipe.with, childOf(scope), context);
      scope = added.scope;
      tables.push(...added.tables);
    } else rows = applyPipe(pipe, rows, scope, context);
  }
  return { rows, tables };
}

function applyPipe(
  node: Exclude<Syntax.PipeOperator, Syntax.PipeWith>,
  rows: Rows,
  scope: Scope,
  context: Context,
): Rows {
  const inner = scopeOf(rows, scope);
  const ofRows = {
    ...inner,
    refused: { aggregate: 'aggregates are computed by the pipe operator AGGREGATE' },
  };
  switch (node.kind) {
    case 'PipeSelect':
      return selectColumns(node, rows, ofRows, context);
    case 'PipeExtend':
    case 'PipeWindow':
      return extend(node, rows, ofRows, context);
    case 'PipeSet':
      return assign(node, rows, ofRows, context);
    case 'PipeDrop':
      return drop(node, rows);
    case 'PipeRename':
      return rename(node, rows);
    case 'PipeAs':
      return namedRows(node.alias.name, rows);
    case 'PipeWhere': {
      const test = context.expression(node.condition, ofRows);
      requireBool(node.condition, test, 'WHERE');
      return nest(rows, someAggregate(test) ? { qualify: [test] } : { where: [test] }, context);
    }
    case 'PipeAggregate':
      return aggregate(node, rows, inner, context);
    case 'PipeDistinct':
      return rowsOf(distinctQuery(node, { ...rows, ranges: [] }, context), context);
    case 'PipeOrderBy':
      return nest(rows, { orderBy: orderOf(node, rows, ofRows, context) }, context);
    case 'PipeLimit':
      return limited(node.limit, rows, context);
    case 'PipeJoin': {
      const joined = joinRight(node, fromOf(rows), scope, context);
      const columns = rowsOfFrom({
        ...joined,
        ranges: joined.ranges.filter(({ isQualifiedOnly }) => !isQualifiedOnly),
      }).columns;
      const ranges = joined.ranges
        .filter(({ name }) => name !== undefined)
        .map(({ isQualifiedOnly: _, ...range }) => range);
      return nest({ from: joined.from, ranges, columns }, {}, context);
    }
    case 'PipeSetOperation': {
      const inputs = [toQuery(rows), ...node.queries.map((query) => context.query(query, scope))];
      return rowsOf(combine(node, node, inputs, context), context);
    }
    case 'PipeTableSample': {
      const nested = nest(rows, {}, context);
      return { ...nested, from: sampled(node.spec, nested.from) };
    }
    case 'PipeCall':
      throw new Unsupported(node, 'the pipe operator CALL is not supported');
    case 'PipePivot':
      return rowsOfFrom(pivotFrom(node, fromOf(nest({ ...rows, ranges: [] }, {}, context)), scope, context));
    case 'PipeUnpivot':
      return rowsOfFrom(
        unpivotFrom(node, fromOf(nest({ ...rows, ranges: [] }, {}, context)), scope, context),
      );
  }
}

function selectColumns(node: Syntax.PipeSelect, rows: Rows, scope: Scope, context: Context): Rows {
  const selected = selectList(node.items, withWindows(node.windows, scope, context), context);
  const value = rowValue(node.as, selected);
  const columns = { from: rows.from, ranges: [], columns: value ? [value] : selected };
  const query = node.distinct ? distinctQuery(node, columns, context) : toQuery(columns);
  const absent = hasStar(node.items) && absentIn(rows.ranges);
  return rowsOf({ ...query, ...absent, isValue: value !== undefined }, context);
}

function distinctQuery(place: Place, rows: Rows, context: Context): ResolvedQuery {
  requireDistinguishable(place, rows.columns);
  const query = toQuery(rows, { distinct: true });
  return { ...query, query: distinctRows(query.query, context.fresh('rows')) };
}

function extend(
  node: Syntax.PipeExtend | Syntax.PipeWindow,
  rows: Rows,
  scope: Scope,
  context: Context,
): Rows {
  const windows = node.kind === 'PipeExtend' ? node.windows : [];
  const added = selectList(node.items, withWindows(windows, scope, context), context);
  return nest({ ...rows, value: undefined, columns: [...rows.columns, ...added] }, {}, context);
}

function assign(node: Syntax.PipeSet, rows: Rows, scope: Scope, context: Context): Rows {
  const columns = [...rows.columns];
  requireOnce(
    'SET',
    node.assignments.map(({ column }) => column),
  );
  for (const { column, expression } of node.assignments) {
    const output = findOutput(column, rows);
    columns[rows.columns.indexOf(output)] = {
      name: output.name,
      value: context.expression(expression, scope),
    };
  }
  const names = node.assignments.map(({ column }) => column);
  return nest({ ...rows, columns, ranges: withoutNames(rows.ranges, names), value: undefined }, {}, context);
}

function drop({ columns: names, ...node }: Syntax.PipeDrop, rows: Rows): Rows {
  requireOnce('DROP', names);
  const absent = names.filter(({ name }) => findAbsent(name, rows.ranges));
  const dropped = names.filter((name) => !absent.includes(name)).map((name) => findOutput(name, rows));
  const columns = rows.columns.filter((output) => !dropped.includes(output));
  if (columns.length === 0) throw new Unsupported(node, 'DROP leaves no column: it drops all');
  return { ...rows, columns, ranges: withoutNames(rows.ranges, names), value: undefined };
}

/** The FROM items, of which those whose name is that of a column that was set or dropped have no name. */
const withoutNames = (ranges: readonly Range[], names: readonly Syntax.Identifier[]): readonly Range[] =>
  ranges.map((range) =>
    names.some(({ name }) => sameName(name, range.name ?? '')) ? { ...range, name: undefined } : range,
  );

function rename(node: Syntax.PipeRename, rows: Rows): Rows {
  requireOnce(
    'RENAME',
    node.columns.map(({ from }) => from),
  );
  const renamed = node.columns.map(({ from, to }) => {
    if (rows.ranges.some(({ name = '' }) => sameName(name, from.name)))
      throw new Unsupported(from, `RENAME takes columns, and ${from.name} is an alias in FROM: use SELECT`);
    return { output: findOutput(from, rows), name: to.name };
  });
  return {
    ...rows,
    columns: rows.columns.map((output) => {
      const found = renamed.find((candidate) => candidate.output === output);
      return found ? { ...output, name: found.name } : output;
    }),
  };
}

function findOutput(name: Syntax.Identifier, { columns, ranges }: Rows): Output {
  const [found, another] = columns.filter(
    (output) => !output.isAnonymous && sameName(output.name, name.name),
  );
  if (!found && columns.some(({ isRow, value }) => isRow && fieldsNamed(value, name.name).length > 0))
    throw new Unsupported(name, `${name.name} is a field of a row that is one value: use SELECT`);
  if (!found)
    throw unknownColumn(name, () => columns.map((output) => output.name), { ...emptyScope, ranges });
  if (another) throw new Unsupported(name, `${name.name} is ambiguous`);
  return found;
}

/** A number is the position of a column. */
function orderOf(
  { items }: Syntax.PipeOrderBy,
  { columns, value }: Rows,
  scope: Scope,
  context: Context,
): readonly SortKey[] {
  const outputs = value ? [{ name: '', value }] : columns;
  return sortKeys(items, scope, context, (node) => {
    const key = numberedOutput(node, outputs, 'ORDER BY')?.value ?? context.expression(node, scope);
    return { key, value: key };
  });
}

/** LIMIT right after ORDER BY belongs to the same query: a subquery has no order. */
function limited(node: Syntax.Limit, rows: Rows, context: Context): Rows {
  const limits = resolveLimit(node, context);
  const { from } = rows;
  if (from?.kind === 'derived' && from.query.kind === 'select' && !from.query.limit)
    return { ...rows, from: { ...from, query: { ...from.query, ...limits } } };
  return nest(rows, limits, context);
}
