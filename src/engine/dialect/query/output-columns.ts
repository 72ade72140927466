import { forwardColumns, isPresent, type StoredColumn } from '../passes/shredded.ts';
import type { RenderRecord } from '../scope.ts';
import { quote } from '../types.ts';
import type { Output } from './select-list.ts';

/** Whether GROUP BY says what its keys are; `ALL` takes them from the select list. */
export const hasListedKeys = (groupBy: string): boolean => groupBy !== '' && groupBy !== ' GROUP BY ALL';

/** NULL for columns that are not read. Keys of GROUP BY, which names them by their place, stay as they are. */
export const withoutUnread = (
  columns: readonly Output[],
  groupBy: string,
  isRead: (column: string) => boolean,
): readonly Output[] => {
  const places: readonly string[] = groupBy.match(/\b\d+\b/g) ?? [];
  return columns.map((column, at) => {
    if (isRead(column.name) || places.includes(String(at + 1))) return column;
    const { shredded: _, ...unread } = column;
    return { ...unread, text: 'NULL' };
  });
};

/** Shredded records as text that `tell` makes of them. */
export const withRenderedRecords = (columns: readonly Output[], tell: RenderRecord): readonly Output[] =>
  columns.map(({ shredded, ...column }) =>
    shredded ? { ...column, text: tell(column.name, shredded) } : column,
  );

/** The select list as text; fields of shredded records come last, so that columns keep their places. */
export function selectListText(columns: readonly Output[], grouped: boolean): string {
  const own = columns.map(({ name, text, shredded }) => {
    return `${shredded && !grouped ? isPresent(shredded) : text} AS ${quote(name)}`;
  });
  const fields = grouped
    ? []
    : columns.flatMap(({ name, shredded }) => (shredded ? forwardColumns(shredded, name) : []));
  return [...own, ...fields].join(', ');
}

/** The columns that a select list gives. */
export const outputColumns = (columns: readonly Output[], grouped: boolean): readonly StoredColumn[] =>
  columns.map(({ name, type, required = false, shredded }) => ({
    name,
    type,
    required: required && !grouped,
    ...(shredded && !grouped && { fields: shredded.fields }),
  }));
