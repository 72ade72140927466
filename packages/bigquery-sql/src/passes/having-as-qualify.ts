import { hasLambda } from '../macros/macros.ts';
import { aggregate, compareWith, integerLiteral } from '../tree/build.ts';
import { mapSelects, someNode } from '../tree/map.ts';
import type { Expression, Query, Select } from '../tree/nodes.ts';
import { scalar } from '../types.ts';

/**
 * A query whose HAVING DuckDB can bind: it can't bind a lambda within a lambda there, but can in QUALIFY. The two filter the
 * same rows unless there are window functions, which QUALIFY follows.
 */
export const havingAsQualify = (query: Query): Query =>
  mapSelects(query, (select) => (isBoundLater(select) ? withQualify(select) : select));

const isBoundLater = ({ having, columns, orderBy, qualify }: Select): boolean =>
  having.some(mayNestLambdas) &&
  ![...[...columns, ...orderBy].map(({ value }) => value), ...qualify].some(hasWindow);

/** QUALIFY needs a window function. */
function withQualify(select: Select): Select {
  const row = aggregate('row_number', [], scalar('INT64'), { over: { partitionBy: [], orderBy: [] } });
  return { ...select, having: [], qualify: [...select.having, compareWith('>', row, integerLiteral(0))] };
}

const hasWindow = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'aggregate' && part.over !== undefined);

const mayNestLambdas = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'call' && hasLambda(part.function));
