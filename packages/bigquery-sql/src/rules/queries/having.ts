import { hasLambda } from '../../macros/macros.ts';
import { aggregate, compareWith, integerLiteral } from '../../tree/build.ts';
import { someNode } from '../../tree/map.ts';
import type { Expression, Select } from '../../tree/nodes.ts';
import { scalar } from '../../types.ts';

/**
 * HAVING as a clause of DuckDB, which can't bind a lambda within a lambda there, but can in QUALIFY. The two filter the
 * same rows unless there are window functions, which QUALIFY follows.
 */
export function having(
  conditions: readonly Expression[],
  others: readonly Expression[],
): Partial<Pick<Select, 'having' | 'qualify'>> {
  if (!conditions.some(mayNestLambdas) || others.some(hasWindow)) return { having: conditions };
  const row = aggregate('row_number', [], scalar('INT64'), { over: { partitionBy: [], orderBy: [] } });
  // QUALIFY needs a window function.
  return { qualify: [...conditions, compareWith('>', row, integerLiteral(0))] };
}

const hasWindow = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'aggregate' && part.over !== undefined);

const mayNestLambdas = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'call' && hasLambda(part.function));
