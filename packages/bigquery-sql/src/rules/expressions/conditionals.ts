import type * as Syntax from '../../syntax/nodes.ts';
import { nullLiteral } from '../../tree/build.ts';
import type { Expression, Member } from '../../tree/nodes.ts';
import { letValues } from '../bind-values.ts';
import { commonSupertype, convert } from '../coercion.ts';
import type { Context, Rule } from '../context.ts';
import { childOf, requireOnce, type Scope } from '../scope.ts';
import { compare, requireBool } from './comparison.ts';

/** `CASE WHEN …` and `CASE x WHEN …`. */
export const caseExpression: Rule<Syntax.Case> = (node, scope, context) => {
  const branches = node.branches.map(({ when, then }) => ({
    place: when,
    when: context.expression(when, scope),
    result: context.expression(then, scope),
  }));
  const otherwise = node.otherwise && context.expression(node.otherwise, scope);
  const results = [...branches.map(({ result }) => result), ...(otherwise ? [otherwise] : [])];
  const type = commonSupertype(node, 'CASE', results);
  const build = (subject?: Expression): Expression => ({
    kind: 'case',
    branches: branches.map(({ place, when, result }) => ({
      // The subject is repeated in each comparison: NaN and literals that take its type need one of their own.
      when: subject ? compare(place, '=', subject, when) : when,
      result: convert(result, type),
    })),
    type,
    ...(otherwise && { otherwise: convert(otherwise, type) }),
  });
  if (!node.operand) {
    for (const { place, when } of branches) requireBool(place, when, 'WHEN');
    return build();
  }
  return build(context.expression(node.operand, scope));
};

/** `WITH(a AS 1, b AS a + 1, a + b)`: each variable is computed once. */
export const withExpression: Rule<Syntax.WithExpression> = (node, scope, context) => {
  requireOnce(
    'WITH',
    node.variables.map(({ name }) => name),
  );
  return resolveVariables(node, node.variables, scope, context);
};

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
  ...(scope.refused && { refused: scope.refused }),
  ranges: [{ name: undefined, columns: variables }],
  isInQuery: true,
});
