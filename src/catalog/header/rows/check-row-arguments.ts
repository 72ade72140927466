import { problem, type SchemaProblem } from '../../../files/schema-problems.ts';
import { camelCase } from '../../../names/graphql-names.ts';
import { maxMarkedColumns } from '../../binding/value-limits.ts';
import type { Column, PushedSource, RowArgumentColumns } from '../../model/saved-query.ts';
import type { Header } from '../header-schema.ts';

/** True if rows can be filtered and ordered by a column: lists, records and JSON have no order. */
const isComparable = ({ type, repeated }: Pick<Column, 'type' | 'repeated'>): boolean =>
  !repeated && type !== 'record' && type !== 'json';

/** Names that have another meaning beside those of columns, in REST and in GraphQL's `where`. */
const reserved: ReadonlySet<string> = new Set(['and', 'or', 'not', 'order', 'limit', 'offset', 'select']);

/** Checks `filter`, `order` and `row_arguments`. */
export function checkRowArguments(header: Header): readonly SchemaProblem[] {
  const marked = Object.entries(header.columns).flatMap(([name, column]) =>
    (['filter', 'order'] as const).filter((key) => column[key]).map((key) => ({ name, column, key })),
  );
  const { filter, order } = namesOf(header);
  const names = new Set([...filter, ...order]);
  return [
    ...marked
      .filter(({ column }) => !isComparable(column))
      .map(({ name, key }) =>
        problem(['columns', name, key], 'needs a column that is not a list, a record or JSON'),
      ),
    ...[...names]
      .filter((name) => reserved.has(camelCase(name)))
      .map((name) => {
        const message = `is a word of row arguments (${[...reserved].join(', ')}); such a column cannot be one of them`;
        return problem(['columns', name], message);
      }),
    ...(names.size > maxMarkedColumns
      ? [problem(['columns'], `more than ${maxMarkedColumns} of them can be filtered or ordered by`)]
      : []),
    ...(header.push && names.size === 0
      ? [problem(['push'], 'needs columns with filter or order, or row_arguments: all')]
      : []),
    ...(header.row_arguments !== undefined && marked.length > 0
      ? [problem(['row_arguments'], 'marks all columns; remove filter and order from them')]
      : []),
  ];
}

/** @returns undefined if no column is marked */
export function toRowArguments(
  header: Header,
  columns: readonly Column[],
  push: PushedSource | undefined,
): RowArgumentColumns | undefined {
  const { filter, order } = namesOf(header);
  if (filter.length === 0 && order.length === 0) return undefined;
  const named = (names: readonly string[]) => columns.filter(({ name }) => names.includes(name));
  return { filter: named(filter), order: named(order), push };
}

function namesOf({ columns, row_arguments: all }: Header) {
  const namesWith = (key: 'filter' | 'order') =>
    Object.entries(columns)
      .filter(([, column]) => (all === undefined ? column[key] : isComparable(column)))
      .map(([name]) => name);
  return { filter: namesWith('filter'), order: namesWith('order') };
}
