import { isWorthComputingOnce } from '../macros/compute-once.ts';
import { planningCosts } from '../macros/macros.ts';
import { computedBefore, computeFirst, newLocal } from '../tree/build.ts';
import {
  forEachNode,
  forEachPart,
  mapExpression,
  mapParts,
  type Mapper,
  someNode,
  unchanged,
} from '../tree/map.ts';
import type { Expression, Node, Query } from '../tree/nodes.ts';
import { isConstantList, isVolatile } from '../tree/volatile.ts';
import { isScalar } from '../types.ts';
import { type Place, Unsupported } from './unsupported.ts';

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

/** True if a value is cheap to write several times: a column, a literal, a cast among numbers, or a struct of these. */
function isSimpleOperand(node: Expression): boolean {
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
    case 'cast':
      return isScalar(node.value.type, 'INT64') && isSimpleOperand(node.value);
    default:
      return false;
  }
}

/** True if an expression contains a subquery or an aggregate, which DuckDB does not allow inside a lambda. */
export const isForbiddenInLambda = (node: Expression): boolean =>
  someNode(node, ({ kind }) => kind === 'subquery' || kind === 'aggregate');

/**
 * Gives names to values for an expression that is resolved with them once. Each value is computed once, unless the
 * expression uses it once at most, or contains a subquery or an aggregate, in which DuckDB knows no such names. A random
 * value in a subquery would be one for each row of the subquery, or the same for all rows of the query.
 *
 * @param isOfOneRow true in a query without FROM: an array of FROM in a subquery is computed once
 * @throws Unsupported if a value that differs at each computation would have to be computed repeatedly
 */
export function letValues(
  place: Place,
  values: readonly Expression[],
  body: (values: readonly Expression[]) => Expression,
  isOfOneRow = false,
): Expression {
  const names = values.map((value) => (isSimpleOperand(value) ? value : newLocal(value.type)));
  const resolved = body(names);
  const replaceAll = (replacements: readonly Expression[]) =>
    names.reduce((within, name, at) => substitute(within, name, replacements[at] ?? name), resolved);
  const costly = values.filter((value, at) => value !== names[at]);
  const isRepeated = names.some((name, at) => name !== values[at] && usesOf(name, resolved) > 1);
  const random = values.flatMap((value, at) => (isVolatile(value) ? (names[at] ?? []) : []));
  const isForEachRow = someNode(
    resolved,
    (part) =>
      (part.kind === 'lambda' && usesAny(names, part.body)) ||
      (part.kind === 'subquery' && usesAny(random, isOfOneRow ? perRow(part.query) : part.query)),
  );
  const inPlace = () => replaceAll(values.map(withArguments.expression));
  if (!isRepeated && !isForEachRow) return inPlace();
  if (!isForbiddenInLambda(resolved))
    return computeFirst(costly, (...computed) =>
      replaceAll(values.map((value) => computed[costly.indexOf(value)] ?? value)),
    );
  if (costly.some(isVolatile))
    throw new Unsupported(
      place,
      'a random value cannot be named beside a subquery or an aggregate: compute it in a subquery in FROM',
    );
  return inPlace();
}

/** Marks the aggregate and window functions of a value, but not those in its subqueries. */
const withArguments: Mapper = {
  ...unchanged,
  expression: (part) =>
    part.kind === 'aggregate' ? { ...part, isArgument: true } : mapParts(part, withArguments),
};

function usesOf(name: Expression, within: Expression): number {
  let uses = 0;
  forEachNode(within, (part) => {
    if (part === name) uses += 1;
  });
  return uses;
}

/** The parts of a query that are computed for each row. */
function perRow(query: Query): Query {
  if (query.kind !== 'select' || query.from?.kind !== 'unnest') return query;
  const { from: _, ...others } = query;
  return others;
}

const usesAny = (names: readonly Expression[], within: Node): boolean =>
  someNode(within, (part) => part.kind === 'local' && names.includes(part));

/** The expression with every occurrence of a name replaced. */
const substitute = (within: Expression, name: Expression, replacement: Expression): Expression =>
  mapExpression(within, (part) => (part === name ? replacement : part));

/**
 * The value of a construct with its long operands computed once. Rules write an operand as often as they need it, and
 * DuckDB plans each copy: constructs inside each other would grow exponentially.
 */
export function repeatedOperandsFirst(value: Expression, operands: readonly Expression[]): Expression {
  const long = operands.filter(
    (operand) => operand !== value && !isSimpleOperand(operand) && !isConstantList(operand),
  );
  if (long.length === 0) return value;
  const uses = new Map<Node, number>(long.map((operand) => [operand, 0]));
  countUses(value, 1, uses);
  const repeated = long.filter((operand) =>
    isWorthComputingOnce(planningCosts.of(operand).size, uses.get(operand) ?? 0, 'inQuery'),
  );
  return repeated.length === 0 ? value : computedBefore(value, repeated);
}

/** Counts in what DuckDB computes for a row of the query: an aggregate and a subquery have rows of their own. */
function countUses(node: Node, times: number, uses: Map<Node, number>): void {
  const known = uses.get(node);
  if (known !== undefined) {
    uses.set(node, known + times);
    return;
  }
  if (node.kind === 'aggregate' || node.kind === 'select' || node.kind === 'set' || node.kind === 'with')
    return;
  const repeated = node.kind === 'lambda' ? [2] : planningCosts.usesOf(node);
  let at = 0;
  forEachPart(node, (part) => countUses(part, times * (repeated?.[at++] ?? 1), uses));
}
