import { type FragmentDefinitionNode, type GraphQLObjectType, isObjectType } from 'graphql';
import type { RecordField } from '../../../../catalog/saved-query.ts';
import { type ListRules, UnexpectedCell, type WriteCell, withNulls, writerOf } from '../cell-writers.ts';
import { type CollectedField, type Conditions, collectFields, selectionsBelow } from '../collect-fields.ts';
import { recordOutput } from './record-output.ts';

/** What an operation selects in records. */
export interface RecordSelection {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly conditions: Conditions;
}

/**
 * Compiles what writes the selected fields of a record, or of each record of a list, as JSON text. What the executor would
 * complain about is an unexpected cell.
 *
 * @param collected the field that is the record, with what is selected in it
 */
export function compileRecord(
  record: RecordField,
  type: GraphQLObjectType,
  collected: CollectedField,
  selection: RecordSelection,
  lists: ListRules = listsOfRecords,
): WriteCell {
  const { typeName, fields } = recordOutput(type, record.fields ?? []);
  const { fragments, conditions } = selection;
  const members = collectFields(selectionsBelow(collected), fragments, conditions).map(
    (inner, at): Member => {
      const start = `${at === 0 ? '{' : ','}${JSON.stringify(inner.responseKey)}:`;
      const output = fields.get(inner.name);
      if (output === undefined) return { start: start + JSON.stringify(typeName), name: undefined };
      const { field, type: inType } = output;
      const write = isObjectType(inType)
        ? compileRecord(field, inType, inner, selection, listsInRecords)
        : writerOf(field, inType, listsInRecords);
      return { start, name: field.name, isInherited: field.name in Object.prototype, write };
    },
  );
  return withNulls(record, (value) => objectText(members, value), lists);
}

/** A column that is a list of records. */
const listsOfRecords: ListRules = { isNullEmpty: false, hasNullItems: true };
const listsInRecords: ListRules = { isNullEmpty: true, hasNullItems: true };

type Member =
  | {
      readonly start: string;
      readonly name: string;
      /** True if every object has a property of the name, which is no field. */
      readonly isInherited: boolean;
      readonly write: WriteCell;
    }
  /** A constant. */
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
