import { sameName } from '../types.ts';
import { aliasesOf } from '../tree/aliases-of.ts';
import { macroName } from '../tree/macro-name.ts';
import type { Column, Expression, From, Join, Node, Select } from '../tree/nodes.ts';
import { printExpression } from '../tree/print.ts';
import type { SeparateValues } from './separate-values.ts';

/** The parameter whose rows a query may read. */
export interface TenantParameter {
  readonly name: string;
  /** True if its value is a regular expression, with which a column is matched. */
  readonly isPattern: boolean;
  /** True if it is a list: each of its values is a tenant whose rows may be read. */
  readonly isList?: boolean;
}

/** The column this value was read from; undefined if the value is computed, or the column is a guess. */
export function columnOf(value: Expression): Column | undefined {
  const column = namedColumn(value);
  return column?.candidates ? undefined : column;
}

/** The column this value was read from, also if it is a guess. */
function namedColumn(value: Expression): Column | undefined {
  if (value.kind === 'column') return value;
  // All fields of a shredded record are of one row.
  if (value.kind === 'record') return namedColumn(value.present);
  return value.kind === 'field' || value.kind === 'element' ? namedColumn(value.of) : undefined;
}

/** A condition, and the values of whose sources it may restrict the rows; undefined for all. */
interface Condition {
  readonly test: Expression;
  readonly restricts: ((value: Expression, column: Column) => boolean) | undefined;
}

/**
 * The values that equal the tenant in every row that a query reads, match its pattern, or are in its list.
 *
 * @param known values of the queries around it that do
 * @param tenant the parameter, a test for values by whose collation different tenants may be equal, and what is
 *   called with columns that would equal it if they were no guesses
 * @param separate the values that HAVING and QUALIFY may compare; undefined for none
 * @returns without the known ones
 */
export function equalToTenant(
  query: Select,
  known: readonly Expression[],
  {
    tenant,
    isCollated,
    guess,
  }: {
    readonly tenant: TenantParameter;
    readonly isCollated: (value: Expression) => boolean;
    readonly guess: (column: Column) => void;
  },
  separate: SeparateValues | undefined,
): readonly Expression[] {
  const conditions: readonly Condition[] = [
    ...query.where.map((test) => ({ test, restricts: undefined })),
    ...(separate ? query.having.map((test) => ({ test, restricts: separate.ofGroups })) : []),
    ...(separate ? query.qualify.map((test) => ({ test, restricts: separate.ofRows })) : []),
    ...(query.from ? joinConditions(query.from) : []),
  ].filter(({ test }) => !isCollated(test));
  const equal = new Map<string, Expression>(known.map((value) => [printExpression(value), value]));
  const isEqual = (value: Expression) =>
    (!tenant.isPattern && !tenant.isList && isParameter(value, tenant.name)) ||
    equal.has(printExpression(value));
  const own: Expression[] = [];
  const note = (value: Expression, restricts: Condition['restricts']): boolean => {
    const column = namedColumn(value);
    if (column?.candidates) guess(column);
    if (!column || column.candidates || equal.has(printExpression(value))) return false;
    if (restricts && !restricts(value, column)) return false;
    equal.set(printExpression(value), value);
    own.push(value);
    return true;
  };
  for (const { test, restricts } of conditions) {
    const matched = tenant.isPattern
      ? matchedValue(test, tenant)
      : tenant.isList
        ? memberValue(test, tenant.name)
        : undefined;
    if (matched) note(matched, restricts);
  }
  let changed = true;
  while (changed) {
    changed = false;
    for (const { test, restricts } of conditions) {
      if (test.kind !== 'operation' || test.operator !== '=') continue;
      const [left, right] = test.operands as readonly [Expression, Expression];
      if (isEqual(left)) changed = note(right, restricts) || changed;
      if (isEqual(right)) changed = note(left, restricts) || changed;
    }
  }
  return own;
}

/** True for a parameter of that name. */
export const isParameter = (node: Node | undefined, name: string): boolean =>
  node?.kind === 'parameter' && sameName(node.name, name);

/** The value of `REGEXP_CONTAINS(value, @tenant)`. */
function matchedValue(test: Expression, tenant: TenantParameter): Expression | undefined {
  if (test.kind === 'case') {
    // The form in which a match can be interrupted.
    const [only, another] = test.branches;
    return only && !another && !test.otherwise ? matchedValue(only.result, tenant) : undefined;
  }
  if (test.kind !== 'call' || macroName(test.function) !== 'regexp_contains') return undefined;
  const [value, pattern] = test.args;
  return isParameter(pattern, tenant.name) ? value : undefined;
}

/** The value of `value IN UNNEST(@name)`. */
export function memberValue(test: Expression, name: string): Expression | undefined {
  if (test.kind !== 'call' || macroName(test.function) !== 'op_in') return undefined;
  const [value, list] = test.args;
  return isParameter(list, name) ? value : undefined;
}

/** The conditions of joins. Those of an outer join restrict only the side that may be missing. */
function joinConditions(from: From): readonly Condition[] {
  if (from.kind === 'sample') return joinConditions(from.of);
  if (from.kind !== 'join') return [];
  const inner = [...joinConditions(from.left), ...joinConditions(from.right)];
  if (!from.on) return inner;
  const tests = from.on.kind === 'operation' && from.on.operator === 'AND' ? from.on.operands : [from.on];
  const restricted = restrictedBy(from);
  const restricts = restricted && ((_: Expression, { from: alias }: Column) => restricted.has(alias));
  return [...inner, ...tests.map((test) => ({ test, restricts }))];
}

function restrictedBy({ join, left, right }: Join): ReadonlySet<string> | undefined {
  if (join === 'LEFT') return new Set(aliasesOf(right));
  if (join === 'RIGHT') return new Set(aliasesOf(left));
  return join === 'FULL' ? new Set() : undefined;
}
