import type * as Syntax from '../../syntax/nodes.ts';
import { nullLiteral } from '../../tree/build.ts';
import type { Expression, Member } from '../../tree/nodes.ts';
import { letValues } from '../bind-values.ts';
import { commonSupertype, convert } from '../coercion.ts';
import type { Context, Rule } from '../context.ts';
import { childOf, type Scope } from '../scope.ts';
import { compare, requireBool } from './comparison.ts';

/** `CASE WHEN …` and `CASE x WHEN …`. */
export const caseExpression: Rule<Syntax.Case> = (node, scope, context) => {
  const subject = node.operand && context.expression(node.operand, scope);
  const branches = node.branches.map((branch) => {
    const condition = context.expression(branch.when, scope);
    if (!subject) requireBool(branch.when, condition, 'WHEN');
    // The subject is repeated in each comparison: NaN and literals that take its type need one of their own.
    const when = subject ? compare(branch.when, '=', subject, condition) : condition;
    return { when, result: context.expression(branch.then, scope) };
  });
  const otherwise = node.otherwise && context.expression(node.otherwise, scope);
  const results = [...branches.map(({ result }) => result), ...(otherwise ? [otherwise] : [])];
  const type = commonSupertype(node, 'CASE', results);
  return {
    kind: 'case',
    branches: branches.map(({ when, result }) => ({ when, result: convert(result, type) })),
    type,
    ...(otherwise && { otherwise: convert(otherwise, type) }),
  };
};

/** `WITH(a AS 1, b AS a + 1, a + b)`: each variable is computed once. */
export const withExpression: Rule<Syntax.WithExpression> = (node, scope, context) =>
  resolveVariables(node, node.variables, scope, context);

function resolveVariables(
  node: Syntax.WithExpression,
  [first, ...rest]: readonly Syntax.WithVariable[],
  scope: Scope,
  context: Context,
): Expression {
  if (!first) return context.expression(node.result, scope);
  const value = context.expression(first.value, scope);
  return letValues(node, [value], ([variable = nullLiteral()]) =>
    resolveVariables(node, rest, withVariables(scope, [{ name: first.name.name, value: variable }]), context),
  );
}

/** A scope in which names stand for values. */
const withVariables = (scope: Scope, variables: readonly Member[]): Scope => ({
  ...childOf(scope),
  ranges: [{ name: undefined, columns: variables }],
  isInQuery: true,
});
