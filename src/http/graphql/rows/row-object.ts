import type { ColumnKeyField } from '../../../catalog/model/entity-keys.ts';
import type { Row } from '../../../results/row-parts.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { isNoKey, keyValue } from './key-value.ts';
import type { ColumnFormat } from './cell-blocks.ts';
import { SelectsMore, UnexpectedCell } from '../execution/needs-objects.ts';

const keyName = 'key';

/** The extension of a field of rows that is an object, which some of their columns identify. */
export const keyExtension = (key: readonly ColumnKeyField[]) => ({ [keyName]: key });

/** The columns that identify the object of a field; undefined for other fields. */
export const keyOfObject = (extensions: Readonly<Record<string, unknown>> = {}) =>
  extensions[keyName] as readonly ColumnKeyField[] | undefined;

interface ObjectWriter {
  readonly write: ColumnFormat['write'];
  /** Equal for equal selections of the same object from the same columns. */
  readonly key: string;
}

/** Compiles the writer of an object in rows, as far as its key says it. @throws SelectsMore if more is selected */
export function compileRowObject(
  typeName: string,
  key: readonly ColumnKeyField[],
  collected: CollectedField,
  scope: SelectionScope,
): ObjectWriter {
  const keys: string[] = [];
  const members = collectFields(selectionsBelow(collected), { ...scope, type: typeName }).map(
    ({ responseKey, name }, at) => {
      const start = `${at === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`;
      keys.push(`${responseKey}:${name}`);
      if (name === '__typename') return { start: start + JSON.stringify(typeName), from: undefined };
      const from = key.findIndex((one) => one.name === name);
      if (from < 0) throw new SelectsMore();
      return { start, from };
    },
  );
  const isNull = (row: Row) => key.some(({ column }) => isNoKey(row[column]));
  return {
    write: (_value, row) => {
      if (isNull(row)) return 'null';
      // A cell that does not fit is an error also where another part of the key is selected.
      const values = key.map((field) => keyText(field, row[field.column]));
      const texts = members.map(({ start, from }) => (from === undefined ? start : start + values[from]));
      return texts.length === 0 ? '{}' : `${texts.join('')}}`;
    },
    key: `object ${JSON.stringify([typeName, key, keys])}`,
  };
}

function keyText(field: ColumnKeyField, cell: unknown): string {
  const value = keyValue(field, cell);
  if (value === undefined) throw new UnexpectedCell();
  return JSON.stringify(value);
}
