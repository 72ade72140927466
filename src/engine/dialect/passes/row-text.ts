import type { Expression, Query, Select, SortKey } from '../tree/nodes.ts';

/** Writes the value of an output column as what the reader of the rows takes. */
export type RenderColumn = (value: Expression, at: number) => Expression;

/**
 * Renders the columns of a query in its own select list, so that DuckDB plans them once. Undefined if the query needs
 * another one around it: its rows depend on the values, or most of them would be rendered only to be discarded.
 */
export function renderInPlace(query: Query, render: RenderColumn): Query | undefined {
  if (query.kind === 'with') {
    const body = renderInPlace(query.body, render);
    return body && { ...query, body };
  }
  if (query.kind !== 'select' || !canRender(query)) return undefined;
  const columns = query.columns.map(({ name, value }, at) => ({ name, value: render(value, at) }));
  return { ...query, columns, orderBy: withoutPositions(query) };
}

function canRender({ distinct, groupBy, orderBy, where, columns, limit }: Select): boolean {
  if (distinct || groupBy || !columns.every(({ value }) => isPlainValue(value))) return false;
  const isOrdered = orderBy.length > 0 || limit !== undefined;
  return !isOrdered || where.some(hasThreshold);
}

const hasThreshold = (condition: Expression): boolean =>
  condition.kind === 'operation' &&
  condition.operands.some((operand) => operand.kind === 'subquery' && operand.runFirst === true);

/** Rendering may write a value several times. */
const isPlainValue = ({ kind }: Expression): boolean =>
  kind === 'column' || kind === 'literal' || kind === 'record';

/** Positions would refer to rendered columns. */
const withoutPositions = ({ orderBy, columns }: Select): readonly SortKey[] =>
  orderBy.map((key) =>
    key.value.kind === 'position' ? { ...key, value: columns[key.value.index - 1]?.value ?? key.value } : key,
  );
