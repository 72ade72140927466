import type { RecordField } from './saved-query.ts';

type Field = Pick<RecordField, 'type' | 'repeated' | 'required'>;

/** True if a column may be null in JSON: also if it is never NULL, because JSON has a null of its own. */
export const isNullableColumn = ({ type, repeated, required }: Field): boolean =>
  !required || (type === 'json' && !repeated);

/**
 * True if a field in a record may be null in JSON: NaN and infinities are, too. A row with such a column is refused.
 */
export const isNullableField = (field: Field): boolean =>
  isNullableColumn(field) || (field.type === 'float' && !field.repeated);
