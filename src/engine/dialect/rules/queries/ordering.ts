import type * as Syntax from '../../syntax/nodes.ts';
import { isEqual } from '../../tree/equal.ts';
import type { Expression, SortKey } from '../../tree/nodes.ts';
import { isScalar, sameName } from '../../types.ts';
import type { Context } from '../context.ts';
import { sortKeys } from '../expressions/sort-keys.ts';
import type { Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { positionOf } from './grouping.ts';
import type { Output } from './outputs.ts';

/**
 * The keys of ORDER BY after a select list. Output columns are referred to by position, which no column of FROM can
 * hide, except numbers with NaN, whose order takes a key of its own.
 */
export function resolveOrderBy(
  items: readonly Syntax.OrderByItem[],
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
): readonly SortKey[] {
  return sortKeys(items, scope, context, (node) => {
    const output = outputColumn(node, outputs);
    if (!output) return context.expression(node, scope);
    return isScalar(output.value.type, 'FLOAT64') ? output.value : positionOf(outputs, output);
  });
}

/** The output column that a sort key names by its position or alias. */
function outputColumn(node: Syntax.Expression, outputs: readonly Output[]): Output | undefined {
  if (node.kind === 'IntegerLiteral') {
    const output = outputs[Number(node.value) - 1];
    if (!output) throw new Unsupported(node, `the select list has no column ${node.text}`);
    return output;
  }
  const [name, ...rest] = node.kind === 'Path' ? node.parts : [];
  if (!name || rest.length > 0) return undefined;
  return outputs.find((output) => !output.isAnonymous && sameName(output.name, name.name));
}

/** A sort key of a query with DISTINCT: it must be a column of the select list. */
export function requireOutput(node: Syntax.Expression, key: Expression, outputs: readonly Output[]): Output {
  const output =
    key.kind === 'position' ? outputs[key.index - 1] : outputs.find(({ value }) => isEqual(value, key));
  if (output) return output;
  throw new Unsupported(node, 'with SELECT DISTINCT, ORDER BY takes columns of the select list only');
}
