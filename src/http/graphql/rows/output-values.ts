import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { isLargeInteger } from '../../../engine-contract/row-json.ts';
import { cellTimestamp, isoText } from '../../../files/timestamps.ts';

/** The value of a column, or of a field in a record, as GraphQL returns it. @throws TypeError if it does not fit its declared type */
export function outputValue({ type, repeated }: RecordField, value: unknown): unknown {
  if (type !== 'integer' && type !== 'timestamp' && type !== 'float') return value;
  return repeated && Array.isArray(value)
    ? value.map((one) => outputNumber(type, one))
    : outputNumber(type, value);
}

function outputNumber(type: 'integer' | 'timestamp' | 'float', value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (type === 'float') return floatOutput(value);
  const output =
    type === 'timestamp' ? timestampOutput(value) : Number.isSafeInteger(value) ? value : undefined;
  if (output === undefined) throw new TypeError('a cell is not an exact integer');
  return output;
}

export const floatOutput = (value: unknown): unknown =>
  isLargeInteger(value) ? Number(value.rawJSON) : value;

/** @returns undefined if it is not an integer */
export function timestampOutput(value: unknown): string | undefined {
  if (isLargeInteger(value)) return cellTimestamp(value.rawJSON);
  return typeof value === 'number' ? isoText(value) : undefined;
}
