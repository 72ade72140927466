import { callsMacroWith, capturedParameters, planningCosts } from '../../macros/macros.ts';
import { computedBefore } from '../../tree/build.ts';
import { mapParts, type Mapper, mapperWith, mapSelects, unchanged } from '../../tree/map.ts';
import type { Expression, Query, Select } from '../../tree/nodes.ts';
import { isDraw, isRandom } from '../../tree/volatile.ts';
import { deriveItem } from './derive-item.ts';
import { makesGroups } from '../../tree/query-parts.ts';

/**
 * Draws each random value once. Rules and macros write an operand as often as they need it, and DuckDB draws a value for
 * each copy: in `CASE RAND() … WHEN`, another one for each comparison. Copies of one call are one object in the tree.
 */
export function drawOnce(query: Query, fresh: (prefix: string) => string): Query {
  const mapper: Mapper = mapperWith({
    expression: (node) => drawnOnce(node, mapper, () => {}),
  });
  return mapper.query(mapSelects(query, (select) => subqueriesBefore(select, fresh)));
}

/** Computes random subqueries before the clauses that share them, unless those read groups. */
function subqueriesBefore(select: Select, fresh: (prefix: string) => string): Select {
  const found: Expression[] = [];
  const finder: Mapper = {
    ...unchanged,
    expression: (part) => {
      if (part.kind === 'subquery' && isRandom(part)) found.push(part);
      return mapParts(part, finder);
    },
  };
  mapParts(select, finder);
  const values = new Set(found.filter((value, at) => found.indexOf(value) < at));
  if (values.size === 0 || makesGroups(select)) return select;
  return deriveItem(select, select.from, { values: [...values] }, fresh);
}

/** @param onDraw called with each value that the expression draws, and how often it does */
function drawnOnce(
  node: Expression,
  inQuery: Mapper,
  onDraw: (draw: Expression, times: number) => void,
): Expression {
  const counts = new Map<Expression, number>();
  const count = (draw: Expression, times: number) => counts.set(draw, (counts.get(draw) ?? 0) + times);
  let at = 0;
  const mapped = mapParts(node, {
    ...inQuery,
    expression: (part) => {
      const times = timesComputed(node, at++);
      return drawnOnce(part, inQuery, (draw, repeated) => count(draw, times * repeated));
    },
  });
  if (isDraw(mapped)) count(mapped, 1);
  // Values that an aggregate reads are drawn for each of its rows.
  if (node.kind === 'aggregate') return mapped;
  const repeated = [...counts].flatMap(([draw, times]) => (times > 1 ? [draw] : []));
  const isBound = node.kind !== 'lambda' && repeated.length > 0;
  for (const [draw, times] of counts) onDraw(draw, isBound ? 1 : times);
  return isBound ? computedBefore(mapped, repeated) : mapped;
}

/** How often DuckDB computes a part of an expression: once, or 2 for any other number. */
function timesComputed(node: Expression, at: number): number {
  switch (node.kind) {
    case 'call': {
      const isRepeated =
        repeatsArguments.test(`${node.function}(`) ||
        callsRepeating(node.function) ||
        capturedParameters.includes(node.function, node.args, at);
      return isRepeated ? 2 : (planningCosts.usesOf(node)?.[at] ?? 1);
    }
    case 'operation':
      return /IN$|BETWEEN$/.test(node.operator) && at === 0 ? 2 : 1;
    case 'record':
    case 'lambda':
      return 2;
    default:
      return 1;
  }
}

/** DuckDB's own macros that have an argument repeatedly. TRY takes no random value. */
const repeatsArguments = /\btry\(/i;

const callsRepeating = callsMacroWith((body) => repeatsArguments.test(body));
