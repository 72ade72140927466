import { type GraphQLObjectType, isObjectType } from 'graphql';
import type { ColumnKeyField } from '../../../catalog/model/entity-keys.ts';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { numberOf } from '../../../memoize.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import type { ColumnFormat } from './cell-blocks.ts';
import { cellOf } from './field-extensions.ts';
import { isNoKey, keyValue } from './key-value.ts';
import { type ListRules, listsOfColumns, type WriteCell, withNulls, writerOf } from './cell-writers.ts';
import { SelectsMore, UnexpectedCell } from '../execution/needs-objects.ts';

interface ObjectWriter<Write> {
  readonly write: Write;
  /** Equal for equal selections in the same type. */
  readonly key: string;
}

/** Compiles what writes the selected fields of a record, or of each of a list, as JSON text. It throws `UnexpectedCell`. */
export function compileRecord(
  record: RecordField,
  type: GraphQLObjectType,
  collected: CollectedField,
  scope: SelectionScope,
): ObjectWriter<WriteCell> {
  const { write, key } = compileFields(record, type, collected, scope, listsOfColumns);
  // A type of another version of the catalog has another number.
  return { write, key: `${numberOf(type)}${key}` };
}

function compileFields(
  record: RecordField,
  type: GraphQLObjectType,
  collected: CollectedField,
  scope: SelectionScope,
  lists: ListRules,
): ObjectWriter<WriteCell> {
  const fields = type.getFields();
  const keys: string[] = [];
  const members = collectFields(selectionsBelow(collected), scope).map((inner, at): Member => {
    const { responseKey, name } = inner;
    const start = startOf(responseKey, at);
    const cell = cellOf(fields[name]?.extensions);
    if (cell === undefined) {
      keys.push(`${responseKey}:${name}`);
      return { start: start + JSON.stringify(type.name), name: undefined };
    }
    const { field, type: inType } = cell;
    const { write, key } = isObjectType(inType)
      ? compileFields(field, inType, inner, scope, listsInRecords)
      : { write: writerOf(field, inType, listsInRecords), key: '' };
    keys.push(`${responseKey}:${name}${key}`);
    return { start, name: field.name, isInherited: field.name in Object.prototype, write };
  });
  const write = withNulls(record, (value) => objectText(members, value), lists);
  return { write, key: `{${keys.join()}}` };
}

/** Compiles the writer of an object in rows, as far as its key says it. @throws SelectsMore if more is selected */
export function compileRowObject(
  typeName: string,
  key: readonly ColumnKeyField[],
  collected: CollectedField,
  scope: SelectionScope,
): ObjectWriter<ColumnFormat['write']> {
  const fields = collectFields(selectionsBelow(collected), { ...scope, type: typeName });
  const members = fields.map(({ responseKey, name }, at): Member => {
    const start = startOf(responseKey, at);
    if (name === '__typename') return { start: start + JSON.stringify(typeName), name: undefined };
    const part = key.find((one) => one.name === name);
    if (part === undefined) throw new SelectsMore();
    return { start, name: part.column, isInherited: false, write: (cell) => keyText(part, cell) };
  });
  const selected = fields.map(({ responseKey, name }) => `${responseKey}:${name}`);
  return {
    write: (_value, row) => {
      if (key.some(({ column }) => isNoKey(row[column]))) return 'null';
      // A cell that does not fit is an error also where another part of the key is selected.
      for (const part of key) keyText(part, row[part.column]);
      return objectText(members, row);
    },
    key: `object ${JSON.stringify([typeName, key, selected])}`,
  };
}

function keyText(field: ColumnKeyField, cell: unknown): string {
  const value = keyValue(field, cell);
  if (value === undefined) throw new UnexpectedCell();
  return JSON.stringify(value);
}

const startOf = (responseKey: string, at: number): string =>
  `${at === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`;

const listsInRecords: ListRules = { isNullEmpty: true };

type Member =
  | {
      readonly start: string;
      readonly name: string;
      /** True if every object inherits a property of the name, which is not a field. */
      readonly isInherited: boolean;
      readonly write: WriteCell;
    }
  | { readonly start: string; readonly name: undefined };

function objectText(members: readonly Member[], value: unknown): string {
  if (typeof value !== 'object' || Array.isArray(value)) throw new UnexpectedCell();
  const record = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const member of members) {
    text += member.start;
    if (member.name === undefined) continue;
    const { name, isInherited, write } = member;
    text += write(isInherited && !Object.hasOwn(record, name) ? undefined : record[name]);
  }
  return text === '' ? '{}' : `${text}}`;
}
