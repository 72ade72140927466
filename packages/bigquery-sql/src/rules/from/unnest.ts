import type * as Syntax from '../../syntax/nodes.ts';
import { column } from '../../tree/build.ts';
import type { Expression, Unnest } from '../../tree/nodes.ts';
import { describeType, sameName, scalar, type Type, typedNulls, unknown } from '../../types.ts';
import { convert } from '../coercion.ts';
import type { Context, ResolvedFrom } from '../context.ts';
import { unnestedArray } from '../expressions/subscripts.ts';
import { findRange, isColumn, type Range, type Scope, scopeOfRows } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';

/** An array in FROM: written with UNNEST, or as a path that starts with a name in FROM. */
export interface ArrayItem {
  readonly node: Syntax.FromItem;
  readonly array: Syntax.Expression;
  readonly alias: string | undefined;
  /** The name of the offset; undefined without WITH OFFSET. */
  readonly offset: string | undefined;
}

/** A FROM item as an array; undefined if it is another kind of item. */
export function arrayItem(node: Syntax.FromItem, scope: Scope): ArrayItem | undefined {
  if (node.kind === 'Unnest')
    return { node, array: node.array, alias: node.alias?.name, offset: offsetName(node.withOffset) };
  if (node.kind !== 'Table' || !startsWithColumn(node.path, scope)) return undefined;
  const { path, alias, withOffset } = node;
  return {
    node,
    array: path,
    alias: alias?.name ?? path.parts.at(-1)?.name,
    offset: offsetName(withOffset),
  };
}

const offsetName = (node: Syntax.WithOffset | undefined) => node && (node.alias?.name ?? 'offset');

/** `t.items` starts with a FROM item. */
const startsWithColumn = ({ parts: [first, ...rest] }: Syntax.Path, scope: Scope): boolean =>
  rest.length > 0 && (findRange(scope, first.name) !== undefined || isColumn(scope, first.name));

export function resolveUnnest(item: ArrayItem, scope: Scope, context: Context): ResolvedFrom {
  const array = arrayOperand(item, scope, context);
  if (item.alias !== undefined && item.offset !== undefined && sameName(item.alias, item.offset))
    throw new Unsupported(item.node, `an element and its offset are both named ${item.offset}`);
  const alias = context.fresh(item.alias ?? 'element');
  const from: Unnest = { kind: 'unnest', alias, array, offset: item.offset !== undefined };
  return { from, ranges: unnestRanges(item, alias, elementType(array)) };
}

function arrayOperand({ node, array }: ArrayItem, scope: Scope, context: Context): Expression {
  const value = unnestedArray(array, scopeOfRows(scope, 'UNNEST'), context);
  const { kind } = value.type;
  if (kind === 'array' || kind === 'unknown') return convert(value, typedNulls(value.type));
  throw new Unsupported(node, `UNNEST takes an array, not ${describeType(value.type)}`);
}

const elementType = ({ type }: Expression): Type => (type.kind === 'array' ? type.element : unknown);

function unnestRanges({ alias: name, offset }: ArrayItem, alias: string, type: Type): readonly Range[] {
  const element: Range = { name, columns: [], value: column(alias, 'value', type) };
  if (offset === undefined) return [element];
  return [element, { name: offset, columns: [], value: column(alias, 'offset', scalar('INT64')) }];
}
