import { computeFirst } from '../tree/build.ts';
import { mapExpressions, someNode } from '../tree/map.ts';
import type { Expression } from '../tree/nodes.ts';

/**
 * An expression over values, each of which is computed once however often the expression uses it.
 *
 * @param body builds the expression; it may be called several times
 */
export function bindValues(
  values: readonly Expression[],
  body: (...values: readonly Expression[]) => Expression,
): Expression {
  const costly = values.filter((value) => !isSimpleOperand(value));
  if (costly.length === 0) return body(...values);
  return computeFirst(costly, (...computed) =>
    body(...values.map((value) => computed[costly.indexOf(value)] ?? value)),
  );
}

/** Whether a value can be written several times at no cost: a column, a literal, or a struct of such values. */
export function isSimpleOperand(node: Expression): boolean {
  switch (node.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'local':
      return true;
    case 'field':
    case 'element':
      return isSimpleOperand(node.of);
    case 'struct':
      return node.fields.every(({ value }) => isSimpleOperand(value));
    default:
      return false;
  }
}

/** Whether an expression contains a subquery or an aggregate, which DuckDB does not allow inside a lambda. */
export const isForbiddenInLambda = (node: Expression): boolean =>
  someNode(node, ({ kind }) => kind === 'subquery' || kind === 'aggregate');

/** The expression with every occurrence of a node replaced. */
export const substitute = (within: Expression, node: Expression, replacement: Expression): Expression =>
  within === node ? replacement : mapExpressions(within, (part) => (part === node ? replacement : part));
