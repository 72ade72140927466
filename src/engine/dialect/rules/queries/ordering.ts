import type * as Syntax from '../../syntax/nodes.ts';
import { isEqual } from '../../tree/equal.ts';
import type { SortKey } from '../../tree/nodes.ts';
import { sameName } from '../../types.ts';
import type { Context } from '../context.ts';
import { sortKeys } from '../expressions/sort-keys.ts';
import type { Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { positionOf } from './grouping.ts';
import type { Output } from './outputs.ts';

/**
 * The keys of ORDER BY after a select list. Output columns are referred to by position, which no column of FROM can
 * hide.
 */
export function resolveOrderBy(
  items: readonly Syntax.OrderByItem[],
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
): readonly SortKey[] {
  return sortKeys(items, scope, context, (node) => {
    const output = outputColumn(node, outputs);
    if (output) return { key: positionOf(outputs, output), value: output.value };
    const value = context.expression(node, scope);
    return { key: value, value };
  });
}

/** The output column that a sort key names by its position or alias. */
export function outputColumn(node: Syntax.Expression, outputs: readonly Output[]): Output | undefined {
  if (node.kind === 'IntegerLiteral') {
    const output = outputs[Number(node.value) - 1];
    if (!output) throw new Unsupported(node, `the select list has no column ${node.text}`);
    return output;
  }
  const [name, ...rest] = node.kind === 'Path' ? node.parts : [];
  if (!name || rest.length > 0) return undefined;
  return outputs.find((output) => !output.isAnonymous && sameName(output.name, name.name));
}

/** The output column that a sort key of a query with DISTINCT is. */
export function sameOutput(
  node: Syntax.Expression,
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
): Output {
  const value = context.expression(node, scope);
  const output = outputs.find((candidate) => isEqual(candidate.value, value));
  if (output) return output;
  throw new Unsupported(node, 'with SELECT DISTINCT, ORDER BY takes columns of the select list only');
}
