import { type GraphQLObjectType, isObjectType } from 'graphql';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { numberOf } from '../../../memoize.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { cellOf } from './field-cell.ts';
import { type ListRules, listsOfColumns, type WriteCell, withNulls, writerOf } from './cell-writers.ts';
import { UnexpectedCell } from '../execution/needs-objects.ts';

interface RecordWriter {
  readonly write: WriteCell;
  /** Equal for equal selections in the same type. */
  readonly key: string;
}

/** Compiles what writes the selected fields of a record, or of each of a list, as JSON text. It throws `UnexpectedCell`. */
export function compileRecord(
  record: RecordField,
  type: GraphQLObjectType,
  collected: CollectedField,
  scope: SelectionScope,
): RecordWriter {
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
): RecordWriter {
  const fields = type.getFields();
  const keys: string[] = [];
  const members = collectFields(selectionsBelow(collected), scope).map((inner, at): Member => {
    const { responseKey, name } = inner;
    const start = `${at === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`;
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
