import { someExpression } from '../tree/map.ts';
import type { Aggregate, Expression, Select } from '../tree/nodes.ts';
import { printExpression } from '../tree/print.ts';
import { afterGroups, keysOf } from '../tree/query-parts.ts';

/** The values by which the rows of a SELECT are computed apart: those of one value do not depend on the others. */
export interface SeparateValues {
  /** True for a value that is equal in each group: HAVING may compare it instead of WHERE. */
  readonly ofGroups: (value: Expression) => boolean;
  /** True for one that is equal in each window too: QUALIFY, and a query around this one, may compare it instead. */
  readonly ofRows: (value: Expression) => boolean;
}

/**
 * Those of GROUP BY and PARTITION BY, or all values if nothing is counted; undefined if all rows are counted together.
 * LIMIT is not regarded.
 *
 * @param query before any pass
 */
export function separateValues(query: Select): SeparateValues | undefined {
  const { groupBy, having } = query;
  if (groupBy?.sets) return undefined;
  const aggregates = aggregatesIn(afterGroups(query));
  const isGrouped = having.length > 0 || aggregates.some(({ over }) => over === undefined);
  if (isGrouped && !groupBy) return undefined;
  const keys = groupBy && textsOf(keysOf(query));
  const partitions = new Map(
    aggregates.flatMap(({ over }) => {
      if (over === undefined) return [];
      const texts = textsOf(over.partitionBy);
      return [[JSON.stringify([...texts]), texts] as const];
    }),
  );
  const ofGroups = (value: Expression) => keys === undefined || isPartOf(keys, value);
  return {
    ofGroups,
    ofRows: (value) => ofGroups(value) && partitions.values().every((texts) => isPartOf(texts, value)),
  };
}

/** The aggregate and window functions in expressions, but not in their subqueries. */
function aggregatesIn(values: readonly Expression[]): readonly Aggregate[] {
  const found: Aggregate[] = [];
  for (const value of values)
    someExpression(value, (node) => {
      if (node.kind === 'aggregate') found.push(node);
      return false;
    });
  return found;
}

const textsOf = (values: readonly Expression[]): ReadonlySet<string> => new Set(values.map(printExpression));

/** True for one of some values, and for a field or an element of one. */
const isPartOf = (texts: ReadonlySet<string>, value: Expression): boolean =>
  texts.has(printExpression(value)) ||
  ((value.kind === 'field' || value.kind === 'element') && isPartOf(texts, value.of));
