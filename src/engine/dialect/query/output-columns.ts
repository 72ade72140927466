import { forwardColumns, isPresent, type StoredColumn } from '../passes/shredded.ts';
import type { RenderRecord } from '../scope.ts';
import { quote } from '../types.ts';
import type { Output } from './select-list.ts';

/** Whether GROUP BY lists its keys; `ALL` infers them from the select list. */
export const hasListedKeys = (groupBy: string): boolean => groupBy !== '' && groupBy !== ' GROUP BY ALL';

/** Replaces unread columns by NULL, except keys of GROUP BY, which refers to them by position. */
export const withoutUnread = (
  columns: readonly Output[],
  groupBy: string,
  isRead: (column: string) => boolean,
): readonly Output[] => {
  const positions: readonly string[] = groupBy.match(/\b\d+\b/g) ?? [];
  return columns.map((column, at) => {
    if (isRead(column.name) || positions.includes(String(at + 1))) return column;
    const { shredded: _, ...unread } = column;
    return { ...unread, text: 'NULL' };
  });
};

/** Replaces shredded records by their rendered text. */
export const withRenderedRecords = (columns: readonly Output[], render: RenderRecord): readonly Output[] =>
  columns.map(({ shredded, ...column }) =>
    shredded ? { ...column, text: render(column.name, shredded) } : column,
  );

/** The select list as text; fields of shredded records come last, so that columns keep their positions. */
export function selectListText(columns: readonly Output[], grouped: boolean): string {
  const list = columns.map(({ name, text, shredded }) => {
    return `${shredded && !grouped ? isPresent(shredded) : text} AS ${quote(name)}`;
  });
  const fields = grouped
    ? []
    : columns.flatMap(({ name, shredded }) => (shredded ? forwardColumns(shredded, name) : []));
  return [...list, ...fields].join(', ');
}

/** The columns of the resulting relation. */
export const outputColumns = (columns: readonly Output[], grouped: boolean): readonly StoredColumn[] =>
  columns.map(({ name, type, required = false, shredded }) => ({
    name,
    type,
    required: required && !grouped,
    ...(shredded && !grouped && { fields: shredded.fields }),
  }));
