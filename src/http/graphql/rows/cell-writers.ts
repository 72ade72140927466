import type { GraphQLLeafType } from 'graphql';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { UnexpectedCell } from '../execution/needs-objects.ts';
import { floatOutput, timestampOutput } from './output-values.ts';

/** Writes the value of a column, or of a field in a record, as JSON text. @throws UnexpectedCell */
export type WriteCell = (value: unknown) => string;

/** How NULL is written in place of a list. */
export interface ListRules {
  /** True if NULL is written as an empty list. */
  readonly isNullEmpty: boolean;
}

/** A column that is a list. */
export const listsOfColumns: ListRules = { isNullEmpty: false };

/** Writes the cells of a column, or of a field in a record, whose type has no selections. */
export function writerOf(
  field: RecordField,
  leaf: GraphQLLeafType,
  lists: ListRules = listsOfColumns,
): WriteCell {
  const { type } = field;
  const write =
    quickWriters[type] ??
    ((value: unknown) =>
      JSON.stringify(leaf.coerceOutputValue(type === 'float' ? floatOutput(value) : value)));
  const one = (value: unknown): string => {
    try {
      return write(value) ?? unexpected();
    } catch {
      return unexpected();
    }
  };
  if (type !== 'record') return withNulls(field, one, lists);
  // A list of free records is one JSON value, but NULL in its place is an empty list as elsewhere.
  const whole = withNulls({ ...field, repeated: false }, one, lists);
  if (!field.repeated || !lists.isNullEmpty) return whole;
  return (value) => (value === undefined || value === null ? '[]' : whole(value));
}

/** @param one writes a value that is not NULL, or an element of a list */
export function withNulls(
  { repeated, required }: Pick<RecordField, 'repeated' | 'required'>,
  one: WriteCell,
  { isNullEmpty }: ListRules,
): WriteCell {
  const nullText = repeated && isNullEmpty ? '[]' : required ? undefined : 'null';
  const item: WriteCell = (value) => (value === null ? 'null' : one(value));
  return (value) => {
    if (value === undefined || value === null) return nullText ?? unexpected();
    if (!repeated) return one(value);
    if (!Array.isArray(value)) return unexpected();
    // Most lists in records have one element.
    return value.length === 1 ? `[${item(value[0])}]` : `[${value.map(item).join(',')}]`;
  };
}

/** One for all: many rows may have such a cell, and an error takes long to make. */
const unexpectedCell = new UnexpectedCell();

function unexpected(): never {
  throw unexpectedCell;
}

/** The same text as the type's serializer gives, for the types that most cells have; undefined for other values. */
const quickWriters: Partial<Record<RecordField['type'], (value: unknown) => string | undefined>> = {
  string: (value) => (typeof value === 'string' ? JSON.stringify(value) : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  timestamp(value) {
    const text = timestampOutput(value);
    return text === undefined ? undefined : `"${text}"`;
  },
};
