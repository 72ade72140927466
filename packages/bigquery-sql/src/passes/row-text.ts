import { column, select } from '../tree/build.ts';
import type { Expression, Query, Select } from '../tree/nodes.ts';
import { resultMembers } from '../tree/query-parts.ts';
import type { PassOptions } from './pass.ts';
import { withoutPositions } from './rewriting/sort-keys.ts';
import { splitRecords } from './split-records.ts';

/** Writes the value of an output column as what the reader of the rows takes. */
export type RenderColumn = (value: Expression, at: number) => Expression;

/**
 * Renders the columns of a query in its own select list, so that DuckDB plans them once; in a query around it if its
 * rows depend on the values, or if most of them would be rendered only to be discarded.
 */
export function renderRows(query: Query, render: RenderColumn, options: PassOptions): Query {
  if (query.kind === 'with') return { ...query, body: renderRows(query.body, render, options) };
  if (query.kind === 'select' && canRender(query)) return rendered(query, render);
  const outer = splitRecords(renameColumns(query, options.fresh('rows')), options);
  return outer.kind === 'select' ? rendered(outer, render) : outer;
}

const rendered = (query: Select, render: RenderColumn): Select => ({
  ...query,
  columns: query.columns.map(({ name, value }, at) => ({ name, value: render(value, at) })),
  orderBy: withoutPositions(query),
});

/** A query around another one that returns its columns. */
const renameColumns = (query: Query, alias: string): Select =>
  select({
    columns: resultMembers(query).map(({ name, value }) => ({
      name,
      value: column(alias, name, value.type),
    })),
    from: { kind: 'derived', alias, query },
  });

function canRender({ distinct, groupBy, orderBy, where, columns }: Select): boolean {
  if (distinct || groupBy || !columns.every(({ value }) => isPlainValue(value))) return false;
  return orderBy.length === 0 || where.some(hasThreshold);
}

const hasThreshold = (condition: Expression): boolean =>
  condition.kind === 'operation' &&
  condition.operands.some((operand) => operand.kind === 'subquery' && operand.isThreshold === true);

/** Rendering may write a value several times. */
const isPlainValue = ({ kind }: Expression): boolean =>
  kind === 'column' || kind === 'literal' || kind === 'record';
