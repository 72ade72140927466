import { columnTypes, type Column, type RecordField } from '../catalog/model/saved-query.ts';
import { isSameColumn } from './check-columns.ts';
import type { KnownColumn } from './known-columns.ts';

/** True if a header leaves the fields of a record to its SQL. */
export const leavesFieldsOpen = ({ type, fields, isFreeForm }: RecordField): boolean =>
  type === 'record' && !isFreeForm && (fields === undefined || fields.some(leavesFieldsOpen));

/**
 * Columns with the fields that a header declares, and those of the SQL where it declares none. Others are the same objects:
 * row arguments refer to them.
 */
export const completeColumns = (
  columns: readonly Column[],
  known: readonly KnownColumn[] = [],
): readonly Column[] =>
  columns.map((column) => {
    const fields = fieldsFor(
      column,
      known.find(({ name }) => isSameColumn(name, column.name)),
    );
    return fields.fields === undefined ? column : { ...column, ...fields };
  });

function fieldsFor(declared: RecordField, known: KnownColumn | undefined): Pick<RecordField, 'fields'> {
  if (!leavesFieldsOpen(declared) || known?.fields === undefined) return {};
  const { fields } = declared;
  if (fields === undefined) return { fields: known.fields.map(toRecordField) };
  return {
    fields: fields.map((field) => ({
      ...field,
      ...fieldsFor(
        field,
        known.fields?.find(({ name }) => name === field.name),
      ),
    })),
  };
}

/** A field as a saved query has it. A type that no header can declare becomes `json`, which any value fits. */
function toRecordField({ name, type, repeated, mode, description, fields }: KnownColumn): RecordField {
  const declarable = columnTypes.find((one) => one === type) ?? 'json';
  // NULL is [] in a result. A float may be NaN, which is null in JSON.
  const required = repeated || (mode === 'REQUIRED' && declarable !== 'float');
  return {
    name,
    type: declarable,
    repeated,
    required,
    ...(description !== undefined && { description }),
    ...(declarable === 'record' && fields && { fields: fields.map(toRecordField) }),
  };
}
