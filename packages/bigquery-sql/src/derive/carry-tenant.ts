import { sameName } from '../types.ts';
import { foldName } from '@querygate/text';
import { aggregateOf } from '../rules/functions/aggregate-names.ts';
import type * as Syntax from '../syntax/nodes.ts';
import { skip, walk } from '../syntax/walk.ts';
import { type CarriedTenant, refuse, type Scope } from './carried-tenant.ts';
import { type JoinedTenant, joinTenants, listBefore } from './tenant-joins.ts';

/** The common tables of a query, after they carry the tenant. @throws NotDerivable */
export function carryThroughTables(
  carried: CarriedTenant,
  { with: common }: Syntax.Query,
  scope: Scope,
): Scope {
  if (common === undefined) return scope;
  const known = new Map(scope);
  for (const { name, query } of common.tables) {
    const depends = carried.depends(query, known);
    if (depends && common.recursive) refuse(name, 'WITH RECURSIVE reads rows of the tenant');
    if (depends) carryTenant(carried, query, known);
    known.set(foldName(name.name), depends);
  }
  return known;
}

/** Adds the column with the tenant to the rows of a query, behind its own columns. @throws NotDerivable */
function carryTenant(carried: CarriedTenant, query: Syntax.Query, scope: Scope): void {
  const [pipe] = query.pipes;
  if (pipe !== undefined) refuse(pipe, 'pipe operators over rows of the tenant');
  if (query.limit !== undefined) refuse(query.limit, 'LIMIT below the last SELECT');
  carryThroughBody(carried, query.body, carryThroughTables(carried, query, scope), []);
}

/** @param keys further columns of the last SELECT, as SQL with their names @throws NotDerivable */
export function carryThroughBody(
  carried: CarriedTenant,
  body: Syntax.QueryBody,
  scope: Scope,
  keys: readonly string[],
): void {
  if (!carried.depends(body, scope)) refuse(body, 'a part of a query reads no rows of the tenant');
  switch (body.kind) {
    case 'Query':
      carryTenant(carried, body, scope);
      break;
    case 'FromQuery':
      refuse(body, 'FROM without SELECT');
      break;
    case 'SetOperation':
      if (body.match !== undefined) refuse(body, `${body.match.spelling} in a set operation`);
      for (const input of body.inputs) carryThroughBody(carried, input, scope, []);
      break;
    case 'Select':
      carryThroughSelect(carried, body, scope, keys);
  }
}

function carryThroughSelect(
  carried: CarriedTenant,
  select: Syntax.Select,
  scope: Scope,
  keys: readonly string[],
): void {
  const { names } = carried;
  const { from, items, where, groupBy, as, modifier } = select;
  if (as !== undefined || modifier !== undefined) refuse(as ?? select, 'SELECT AS or SELECT WITH');
  const carry = (query: Syntax.Query) => carryTenant(carried, query, scope);
  const joined = joinTenants(carried, from, { scope, carry });
  const equal = [...conjunctsOf(where), ...joined.inner.flatMap(conjunctsOf)].flatMap((test) => {
    const value = comparedValue(carried, test);
    return value === undefined ? [] : [{ test, value: carried.tenantOf(value) }];
  });
  const tenant = joined.tenant ?? equal[0]?.value ?? listTenants(carried, select, joined);
  const isOfRow = joined.tenant === undefined && equal.length > 0;
  for (const [at, { test, value }] of equal.entries()) {
    const isMember = `${value} IN ${carried.members}`;
    // Both: engines skip parts of a table by constants only.
    carried.replace(test, isOfRow && at === 0 ? isMember : `${isMember} AND ${value} = ${tenant}`);
  }
  replaceParameter(carried, select, scope, tenant, new Set(equal.map(({ test }) => test)));
  if (joined.conditions.length > 0) addConditions(carried, select, joined.conditions);
  const last = items.at(-1);
  for (const item of items) exceptTenant(carried, item, joined);
  const added = [...keys, `${tenant} AS ${names.tenant}`].map((column) => `, ${column}`).join('');
  const noFrom = from === undefined ? ` FROM ${carried.members} AS ${names.tenant}` : '';
  carried.insert(last?.end ?? select.end, added + noFrom);
  groupByTenant(carried, select, groupBy);
  for (const window of windowsOf(select)) partitionByTenant(carried, window, tenant);
}

/** For a parameter that is compared with no column: each row is one of every tenant, until a condition says whose it is. */
function listTenants(carried: CarriedTenant, { from }: Syntax.Select, joined: JoinedTenant): string {
  return from === undefined ? carried.names.tenant : listBefore(carried, from, joined);
}

function conjunctsOf(condition: Syntax.Expression | undefined): readonly Syntax.Expression[] {
  if (condition === undefined) return [];
  const isAnd = condition.kind === 'Logical' && condition.operator === 'AND';
  return isAnd ? condition.operands.flatMap(conjunctsOf) : [condition];
}

/** The column in `column = @tenant`, or in `REGEXP_CONTAINS(column, @tenant)` of a pattern. */
function comparedValue(carried: CarriedTenant, test: Syntax.Expression): string | undefined {
  let value: Syntax.Node | undefined;
  if (carried.isPattern) {
    const isMatch =
      test.kind === 'FunctionCall' && /^regexp_contains$/i.test(carried.text(test.name)) && !test.over;
    const [subject, pattern, ...others] = isMatch ? test.args : [];
    if (pattern !== undefined && carried.isTenant(pattern) && others.length === 0) value = subject;
  } else if (test.kind === 'Comparison' && test.operator === '=') {
    if (carried.isTenant(test.left)) value = test.right;
    else if (carried.isTenant(test.right)) value = test.left;
  }
  return value?.kind === 'Path' ? carried.text(value) : undefined;
}

/** Replaces the parameter by the tenant of the row, outside of the queries in FROM. */
function replaceParameter(
  carried: CarriedTenant,
  select: Syntax.Select,
  scope: Scope,
  tenant: string,
  compared: ReadonlySet<Syntax.Node>,
): void {
  walk(select, (node) => {
    if (compared.has(node) || node.kind === 'DerivedTable') return skip;
    if (node.kind === 'Query' && carried.depends(node, scope))
      refuse(node, 'a subquery in an expression reads rows of the tenant');
    if (!carried.isTenant(node)) return undefined;
    if (carried.isPattern)
      refuse(node, 'the pattern of the tenant is used in another way than by REGEXP_CONTAINS');
    // There the name of a column may be that of a value in the select list.
    const isAfterList = [select.having, select.qualify].some(
      (clause) => clause && clause.start <= node.start && node.start < clause.end,
    );
    carried.replace(node, isAfterList ? carried.names.tenant : tenant);
    return undefined;
  });
}

function addConditions(
  carried: CarriedTenant,
  { where, from, end }: Syntax.Select,
  conditions: readonly string[],
): void {
  if (where === undefined) {
    carried.insert(from?.end ?? end, ` WHERE ${conditions.join(' AND ')}`);
    return;
  }
  carried.insert(where.start, '(');
  carried.insert(where.end, `) AND ${conditions.join(' AND ')}`);
}

/** Leaves the tenant out of a star: it has its own place. */
function exceptTenant(carried: CarriedTenant, item: Syntax.SelectItem, { owners }: JoinedTenant): void {
  if (item.kind === 'SelectExpression' || owners.length === 0) return;
  if (item.kind === 'DotStar') {
    const of =
      item.operand.kind === 'Path' && item.operand.parts.length === 1 ? item.operand.parts[0].name : '';
    if (!owners.some((owner) => sameName(owner, of))) return;
  } else if (owners.length > 1) refuse(item, '* over several items with rows of the tenant');
  const last = item.except.at(-1);
  const from = item.kind === 'DotStar' ? item.operand.end : item.start;
  const star = carried.sql.indexOf('*', from) + 1;
  if (last === undefined) carried.insert(star, ` EXCEPT (${carried.names.tenant})`);
  else carried.insert(last.end, `, ${carried.names.tenant}`);
}

function groupByTenant(
  carried: CarriedTenant,
  select: Syntax.Select,
  groupBy: Syntax.GroupBy | undefined,
): void {
  if (groupBy === undefined) {
    const aggregate = select.having ?? aggregatesOf(select)[0];
    if (aggregate !== undefined)
      refuse(aggregate, 'an aggregate without GROUP BY has a row also for a tenant without rows');
    return;
  }
  const sets = groupBy.items.find(({ kind }) => kind !== 'GroupingExpression');
  if (sets !== undefined) refuse(sets, 'grouping sets have a row also for a tenant without rows');
  if (!groupBy.all) carried.insert(groupBy.end, `, ${carried.names.tenant}`);
}

/** The aggregates of a SELECT that are not windows, outside of its subqueries. */
function aggregatesOf({ items, having, qualify }: Syntax.Select): readonly Syntax.FunctionCall[] {
  return callsIn([...items, having, qualify]).filter(
    ({ name, over, args }) =>
      over === undefined &&
      (aggregateOf(lastName(name)) !== undefined || args.some(({ kind }) => kind === 'StarArgument')),
  );
}

/** The windows of a SELECT that extend no other one. */
function windowsOf({ items, qualify, windows }: Syntax.Select): readonly Syntax.Window[] {
  const inline = callsIn([...items, qualify]).flatMap(({ over }) => (over?.kind === 'Window' ? [over] : []));
  return [...inline, ...windows.map(({ window }) => window)].filter(({ base }) => base === undefined);
}

function callsIn(nodes: readonly (Syntax.Node | undefined)[]): readonly Syntax.FunctionCall[] {
  const calls: Syntax.FunctionCall[] = [];
  for (const node of nodes)
    if (node !== undefined)
      walk(node, (one) => {
        if (one.kind === 'Query') return skip;
        if (one.kind === 'FunctionCall') calls.push(one);
        return undefined;
      });
  return calls;
}

/** The last name of a function, in lower case. */
export const lastName = ({ parts }: Syntax.Path): string => foldName(parts.at(-1)?.name ?? '');

function partitionByTenant(carried: CarriedTenant, window: Syntax.Window, tenant: string): void {
  const [first] = window.partitionBy;
  if (first === undefined) {
    if (carried.sql[window.start] !== '(') refuse(window, 'a window without parentheses');
    carried.insert(window.start + 1, `PARTITION BY ${tenant} `);
    return;
  }
  const head = carried.sql.slice(window.start, first.start);
  const by = [...head.matchAll(/\bby\b/gi)].at(-1);
  carried.insert(window.start + (by?.index ?? 0) + 2, ` ${tenant},`);
}
