import { aggregateNames } from '../../packages/bigquery-sql/src/rules/functions/aggregate-names.ts';
import type { Expression, Node, Syntax } from '../../packages/bigquery-sql/src/syntax.ts';
import { childrenOf, skip, walk } from '../../packages/bigquery-sql/src/syntax.ts';
import { duckdbType, type Type, withoutCollation } from '../../packages/bigquery-sql/src/types.ts';

/** The type of the expression at a place, if one is there. */
export type TypeAt = (place: Node) => Type | undefined;

/** An expression that a function can compute, and the columns that it reads. */
export interface Computation {
  readonly node: Expression;
  readonly columns: readonly Expression[];
}

/**
 * The largest expressions of a query that only columns and literals decide. What a GROUP BY around them groups by is left
 * out, since a call would be another expression.
 */
export function computations(root: Node, typeAt: TypeAt): readonly Computation[] {
  const found: Computation[] = [];
  walk(root, (node) => {
    if (node.kind === 'Select' && (node.groupBy || node.having)) return skip;
    if (typeAt(node) === undefined || node.kind === 'Path' || !isPure(node, typeAt)) return undefined;
    const columns = columnsIn(node, typeAt);
    if (columns.length > 0 && columns.length < 6) found.push({ node: node as Expression, columns });
    return skip;
  });
  return found;
}

/** Names, and clauses of a call, that mean something in their place only. */
const pureKinds: ReadonlySet<Node['kind']> = new Set<Node['kind']>([
  ...(['Path', 'Identifier', 'FieldAccess', 'NullLiteral', 'BooleanLiteral', 'IntegerLiteral'] as const),
  ...(['FloatLiteral', 'StringLiteral', 'BytesLiteral', 'TypedLiteral', 'IntervalLiteral', 'Unary'] as const),
  ...(['Binary', 'Comparison', 'Logical', 'Not', 'Is', 'IsDistinctFrom', 'Between', 'Like', 'Case'] as const),
  ...([
    'CaseBranch',
    'Cast',
    'Extraction',
    'DatePart',
    'FunctionCall',
    'NamedType',
    'Concatenation',
  ] as const),
]);

const isPure = (node: Node, typeAt: TypeAt): boolean =>
  pureKinds.has(node.kind) &&
  (node.kind !== 'FunctionCall' || isScalar(node)) &&
  (node.kind !== 'Path' || isPassable(node, typeAt)) &&
  childrenOf(node).every((child) => isPure(child, typeAt));

/** A date part, or a column of a type that an argument can have. */
function isPassable(node: Syntax.Path, typeAt: TypeAt): boolean {
  const type = typeAt(node);
  if (type === undefined) return true;
  const isFunction = /^(current_|session_)/i.test(node.parts[0].name);
  return !isFunction && duckdbType(type) !== undefined && withoutCollation(type) === type;
}

function isScalar({ name, distinct, over, nulls, having, orderBy, limit }: Syntax.FunctionCall): boolean {
  const last = name.parts.at(-1)?.name.toLowerCase() ?? '';
  const isPlain = !distinct && !over && !nulls && !having && orderBy.length === 0 && !limit;
  return isPlain && name.parts.length === 1 && !aggregateNames.includes(last) && last !== 'collate';
}

function columnsIn(node: Node, typeAt: TypeAt): readonly Expression[] {
  if (node.kind === 'Path') return typeAt(node) === undefined ? [] : [node];
  return childrenOf(node).flatMap((child) => columnsIn(child, typeAt));
}
