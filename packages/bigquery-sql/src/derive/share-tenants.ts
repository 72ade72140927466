import { sameName } from '../types.ts';
import type * as Syntax from '../syntax/nodes.ts';
import { tokenize } from '../syntax/lexer/tokenize.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { walk } from '../syntax/walk.ts';
import { CarriedTenant, quoteName, refuse, type SharedNames, type SharedQuery } from './carried-tenant.ts';
import { carryThroughBody, carryThroughTables } from './carry-tenant.ts';
import { editText } from './edit-text.ts';
import { requireDefinedValues } from './undefined-values.ts';

/** A query with the rows of many tenants: those of each are the query's own, in its order. */
export interface SharedStatement extends Pick<SharedNames, 'list' | 'tenant' | 'rank'> {
  readonly sql: string;
  /** A number, or the name of a parameter. */
  readonly limit: number | string | undefined;
  readonly offset: number | string | undefined;
}

/**
 * The same query for the tenants of a list: every comparison of a column with the tenant becomes one with the list, and
 * every SELECT keeps the column, groups and numbers by it, and joins by it. Rows come by tenant, with their rank in the order
 * of the query: those with one rank are equal in it.
 *
 * @throws NotDerivable if that would not be provably the same; SyntaxProblem
 */
export function shareTenants(given: SharedQuery): SharedStatement {
  const statement = parseQuery(given.sql);
  const { query } = statement;
  requireDefinedValues(statement);
  const names = namesFor(given.sql);
  for (const definition of statement.functions)
    walk(definition, (node) => {
      if (node.kind === 'NamedParameter') refuse(node, 'a parameter in a function');
    });
  const [pipe] = query.pipes;
  if (pipe !== undefined) refuse(pipe, 'pipe operators');
  return {
    ...{ list: names.list, tenant: names.tenant, rank: names.rank },
    sql: rankedText(new CarriedTenant(given.sql, query, given, names), query, given),
    limit: boundOf(query.limit?.count),
    offset: boundOf(query.limit?.offset),
  };
}

function rankedText(carried: CarriedTenant, query: Syntax.Query, { columns, maxRows }: SharedQuery): string {
  const { sql, names } = carried;
  const { body, limit, end } = query;
  const scope = carryThroughTables(carried, query, new Map());
  const { keys, hidden } = sortKeys(carried, query, columns);
  carryThroughBody(carried, body, scope, hidden);
  if (query.orderBy.length === 0) refuse(body, 'its rows have no order; add ORDER BY');
  carried.requireReplaced();
  const listed = columns.map(quoteName).join(', ');
  const window = `(PARTITION BY ${names.tenant} ORDER BY ${keys.join(', ')})`;
  const most = [String(maxRows + 1), textOfBound(limit?.offset)].filter((text) => text !== undefined);
  const before = query.with?.end ?? query.start;
  if (tokenize(sql.slice(before, body.start)).some(({ kind }) => kind !== 'end'))
    refuse(body, 'parentheses around the last SELECT');
  carried.edits.unshift({
    start: body.start,
    end: body.start,
    text: `SELECT ${names.tenant}, RANK() OVER ${window} AS ${names.rank}, ${listed} FROM (`,
  });
  carried.replace(
    { start: body.end, end },
    `\n) AS ${names.rows} QUALIFY ROW_NUMBER() OVER ${window} <= ${most.join(' + ')} ORDER BY ${names.tenant}, ${names.rank}`,
  );
  return editText(sql, carried.edits);
}

/** The keys of ORDER BY over the columns of the last SELECT, and further columns that it needs for them. */
function sortKeys(
  { sql, names }: CarriedTenant,
  { body, orderBy }: Syntax.Query,
  columns: readonly string[],
): { readonly keys: readonly string[]; readonly hidden: readonly string[] } {
  const isColumn = (name: string) => columns.some((column) => sameName(column, name));
  const items = body.kind === 'Select' ? body.items : [];
  const hidden: string[] = [];
  const keys = orderBy.map((item) => {
    const { expression, collation, order } = item;
    if (collation !== undefined) refuse(item, 'ORDER BY with COLLATE');
    const direction = `${order.direction ? ` ${order.direction}` : ''}${order.nulls ? ` NULLS ${order.nulls}` : ''}`;
    const column = columnOfKey(expression, items, isColumn);
    if (column !== undefined) return quoteName(column) + direction;
    if (body.kind !== 'Select') refuse(item, 'ORDER BY with another value than a column');
    refuseColumnsIn(expression, isColumn);
    const same = sameItem(sql, expression, items);
    if (same !== undefined) return quoteName(same) + direction;
    if (body.distinct) refuse(item, 'ORDER BY with another value than a column');
    const name = `${names.key}_${hidden.length + 1}`;
    hidden.push(`${sql.slice(expression.start, expression.end)} AS ${name}`);
    return name + direction;
  });
  return { keys, hidden };
}

/** In an expression the name is that of the result, which may have another value than a column of FROM. */
function refuseColumnsIn(expression: Syntax.Expression, isColumn: (name: string) => boolean): void {
  const called = new Set<Syntax.Node>();
  walk(expression, (node) => {
    if (node.kind === 'FunctionCall') called.add(node.name);
    if (node.kind === 'Path' && !called.has(node) && isColumn(node.parts[0].name))
      refuse(node, 'ORDER BY with an expression of a column of the result; give it a column of its own');
  });
}

function columnOfKey(
  expression: Syntax.Expression,
  items: readonly Syntax.SelectItem[],
  isColumn: (name: string) => boolean,
): string | undefined {
  if (expression.kind === 'IntegerLiteral') {
    const before = items.slice(0, Number(expression.value));
    if (before.some(({ kind }) => kind !== 'SelectExpression')) return undefined;
    const item = before.at(-1);
    return item === undefined ? undefined : itemName(item);
  }
  const name = expression.kind === 'Path' && expression.parts.length === 1 ? expression.parts[0].name : '';
  return isColumn(name) ? name : undefined;
}

const itemName = (item: Syntax.SelectItem): string | undefined => {
  if (item.kind !== 'SelectExpression') return undefined;
  const { alias, expression } = item;
  return alias?.name ?? (expression.kind === 'Path' ? expression.parts.at(-1)?.name : undefined);
};

/** The column of an item with the same text. */
function sameItem(
  sql: string,
  { start, end }: Syntax.Expression,
  items: readonly Syntax.SelectItem[],
): string | undefined {
  const key = sql.slice(start, end);
  const found = items.find(
    (item) =>
      item.kind === 'SelectExpression' && sql.slice(item.expression.start, item.expression.end) === key,
  );
  return found && itemName(found);
}

function boundOf(bound: Syntax.Expression | undefined): number | string | undefined {
  if (bound === undefined) return undefined;
  if (bound.kind === 'IntegerLiteral') return Number(bound.value);
  if (bound.kind === 'NamedParameter') return bound.name.name;
  return refuse(bound, 'LIMIT or OFFSET that is neither a number nor a parameter');
}

const textOfBound = (bound: Syntax.Expression | undefined): string | undefined => {
  const value = boundOf(bound);
  if (value === undefined) return undefined;
  return typeof value === 'number' ? String(value) : `@${value}`;
};

/** Names that occur nowhere in a text. */
function namesFor(sql: string): SharedNames {
  const text = sql.toLowerCase();
  let prefix = 'shared';
  for (let at = 2; text.includes(`${prefix}_`); at += 1) prefix = `shared${at}`;
  return {
    list: `${prefix}_tenants`,
    tenant: `${prefix}_tenant`,
    rank: `${prefix}_rank`,
    rows: `${prefix}_rows`,
    key: `${prefix}_key`,
  };
}
