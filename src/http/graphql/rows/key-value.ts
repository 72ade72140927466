import type { KeyField } from '../../../catalog/model/entity-keys.ts';

/** The value of a field of a key. */
export type KeyValue = string | number | boolean;

/**
 * The value of a field of a key as GraphQL returns it; undefined if it does not fit its type. An empty text is not a key: as a
 * parameter it is absent, and rows would not be restricted to one entity.
 */
export function keyValue({ type }: KeyField, value: unknown): KeyValue | undefined {
  if (type === 'Boolean') return typeof value === 'boolean' ? value : undefined;
  if (type === 'Int')
    return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31 ? (value as number) : undefined;
  if (type === 'ID' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** True for a cell that refers to nothing. */
export const isNoKey = (cell: unknown): boolean => cell === undefined || cell === null || cell === '';
