import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { call, caseWhen, castTo, compareWith, integerLiteral, textLiteral } from '../../tree/build.ts';
import { someNode } from '../../tree/map.ts';
import type { Expression, Literal } from '../../tree/nodes.ts';
import { nowParameter, ownPrefix } from '../../tree/own-parameters.ts';
import { describeType, isScalar } from '../../types.ts';
import type { Context, Rule } from '../context.ts';
import type { Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';

export const namedParameter: Rule<Syntax.NamedParameter> = (node, _scope, context) => {
  const { name } = node;
  const lower = foldName(name.name);
  if (!/^[a-z_]\w*$/.test(lower)) throw new Unsupported(node, `@${name.name} is not a parameter name`);
  if (lower === nowParameter || lower.startsWith(ownPrefix))
    throw new Unsupported(node, `a parameter can't be named ${name.name}`);
  return { kind: 'parameter', name: name.name, type: context.parameterType(name.name) };
};

export const positionalParameter: Rule<Syntax.PositionalParameter> = (node) => {
  throw new Unsupported(node, 'parameters must have a name: @name instead of ?');
};

export const systemVariable: Rule<Syntax.SystemVariable> = ({ name }) => {
  const shown = name.parts.map(({ name }) => name).join('.');
  const own = instead.get(foldName(shown)) ?? '';
  throw new Unsupported(name, `the system variable @@${shown} is not supported${own}`);
};

const instead: ReadonlyMap<string, string> = new Map([
  ['project_id', ': tables have no project here'],
  ['time_zone', ': functions take a zone, which is UTC without one'],
]);

/**
 * The number of LIMIT or OFFSET: an INT64 that does not depend on rows.
 *
 * @param where the clause, for messages
 */
export function rowLimit(node: Syntax.Expression, where: string, scope: Scope, context: Context): Expression {
  const count = constantInt64(node, where, scope, context);
  if (count.kind !== 'literal') return notNegative(where, count);
  if (typeof count.value === 'bigint' && count.value >= 0n) return count;
  throw new Unsupported(node, `${where} takes an integer that is not negative`);
}

/** An INT64 that is the same for all rows. */
export function constantInt64(
  node: Syntax.Expression,
  where: string,
  scope: Scope,
  context: Context,
): Expression {
  const value = context.expression(node, scope);
  if (value.kind === 'parameter' && isScalar(value.type, 'STRING'))
    throw new Unsupported(
      node,
      `${where} takes INT64, and @${value.name} is STRING: write CAST(@${value.name} AS INT64)`,
    );
  if (!isScalar(value.type, 'INT64') && value.type.kind !== 'unknown')
    throw new Unsupported(node, `${where} takes INT64, not ${describeType(value.type)}`);
  if (!isConstant(value)) throw new Unsupported(node, `${where} takes a literal or a parameter`);
  return value;
}

/** True if a value is a literal, or computed from a parameter, such as CAST(@n AS INT64). */
export const isConstant = (value: Expression): boolean =>
  value.kind === 'literal' || (!dependsOnRows(value) && someNode(value, ({ kind }) => kind === 'parameter'));

export const dependsOnRows = (value: Expression): boolean =>
  someNode(value, ({ kind }) => kind === 'column' || kind === 'subquery' || kind === 'aggregate');

function notNegative(where: string, value: Expression): Expression {
  const fail = call('bq.fail', [textLiteral(`${where} must be an integer that is not negative`)]);
  return caseWhen(compareWith('>=', value, integerLiteral(0)), value, castTo(fail, value.type));
}

/** The value of a literal; undefined for others, and where it is the value of a name, for which a call may never run. */
export const writtenValue = (value: Expression | undefined): Literal['value'] | undefined =>
  value?.kind === 'literal' && !value.hasFixedType ? value.value : undefined;

/** The text that literals joined by CONCAT or || make; undefined if it is not known. */
export function constantText(value: Expression): string | null | undefined {
  if (value.kind === 'literal') {
    if (value.value === null) return null;
    return isScalar(value.type, 'STRING') ? String(value.value) : undefined;
  }
  if (value.kind !== 'operation' || value.operator !== '||') return undefined;
  const parts = value.operands.map(constantText);
  if (parts.includes(undefined)) return undefined;
  return parts.includes(null) ? null : parts.join('');
}
