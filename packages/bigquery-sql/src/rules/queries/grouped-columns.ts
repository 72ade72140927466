import type * as Syntax from '../../syntax/nodes.ts';
import { skip, walk } from '../../syntax/walk.ts';
import { isEqual } from '../../tree/equal.ts';
import type { Expression } from '../../tree/nodes.ts';
import { isVolatile } from '../../tree/volatile.ts';
import type { Context } from '../context.ts';
import type { ColumnUse } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import type { Output } from './outputs.ts';

/**
 * Refuses columns that have several values in a group. As in GoogleSQL, a key of GROUP BY that is a column, or a field
 * of one, can be used everywhere after it, with its fields; one that is computed can only be a whole column of the
 * select list, see `isKey`, which other clauses know by its alias, or a whole item of ORDER BY.
 */
export function requireGrouped(uses: readonly ColumnUse[], keys: readonly Output[], context: Context): void {
  for (const use of uses) {
    if (isReadable(use, keys) && !use.isOfStruct) continue;
    context.attempt(() => {
      throw new Unsupported(use.place, ungroupedMessage(use, keys));
    }, undefined);
  }
}

function ungroupedMessage({ name, value, isOfStruct }: ColumnUse, keys: readonly Output[]): string {
  const cause = `${name} is neither grouped nor aggregated`;
  if (isOfStruct) return `${cause}: GROUP BY does not know the fields of .*, so write each of them`;
  const isInKey = keys.some(({ uses = [] }) => uses.some((use) => isEqual(use.value, value)));
  return isInKey
    ? `${cause}: what GROUP BY computes of it can only be a whole column of the select list or item of ORDER BY. GROUP BY ${name} as well, take ANY_VALUE(${name}), or compute the expression in a subquery`
    : `${cause}: GROUP BY it as well, or take ANY_VALUE(${name})`;
}

/** True if a use reads an output that is a column or a field of one, or reads a field of such an output. */
export function isReadable({ value }: ColumnUse, outputs: readonly Output[]): boolean {
  if (value.type.kind === 'unknown') return true;
  const isRead = (of: Expression): boolean =>
    outputs.some((output) => isColumn(output) && isEqual(output.value, of)) ||
    (of.kind === 'field' && isRead(of.of));
  return isRead(value);
}

/** True if an output is a column of FROM, or a field of one; the row of an item of FROM is computed of its columns. */
export function isColumn({ value, node, uses = [] }: Output): boolean {
  if ((node && !isPathNode(node)) || value.kind === 'struct') return false;
  const [only, another] = uses;
  const reads = (of: Expression): boolean => of === only?.value || (of.kind === 'field' && reads(of.of));
  return another === undefined && reads(value);
}

/** True if a column of the select list is a key: it was named by GROUP BY, or is the same expression. */
export const isKey = (output: Output, keys: readonly Output[]): boolean =>
  keys.some((key) => key === output || isSameExpression(key, output));

/** GoogleSQL does not compare expressions that have a subquery or a random value in them. */
export function isSameExpression(key: Output, output: Output): boolean {
  if (!key.node || !output.node || !isEqual(key.value, output.value) || isVolatile(key.value)) return false;
  const form = formOf(key.node);
  return form !== undefined && form === formOf(output.node);
}

/**
 * The kinds of the parts of an expression; undefined if it cannot be compared. Equal values may be written in several
 * forms, such as CAST and DATE, which GoogleSQL does not know to be equal.
 */
function formOf(node: Syntax.Expression): string | undefined {
  const kinds: string[] = [];
  let isComparable = true;
  walk(node, (part, around) => {
    const isPath = isPathNode(part);
    kinds.push(`${around.length} ${isPath ? 'Path' : part.kind}`);
    isComparable &&= !incomparable.has(part.kind);
    return isPath ? skip : undefined;
  });
  return isComparable ? kinds.join() : undefined;
}

const isPathNode = (node: Syntax.Node): boolean =>
  node.kind === 'Path' || (node.kind === 'FieldAccess' && isPathNode(node.operand));

const incomparable: ReadonlySet<Syntax.Node['kind']> = new Set([
  'WithExpression',
  'Query',
  'Select',
] as const);
