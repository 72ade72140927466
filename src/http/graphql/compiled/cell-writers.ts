import type { GraphQLLeafType } from 'graphql';
import type { Column } from '../../../catalog/saved-query.ts';
import { isoText } from '../../../files/timestamps.ts';

/** Thrown for a cell that its declared type cannot hold: an engine never gives one, a foreign cache entry may. */
export class UnexpectedCell extends Error {
  constructor() {
    super('A cell does not fit its declared type');
  }
}

/** Writes the cells of one column as JSON text. @returns a function that throws UnexpectedCell */
export function writerOf(
  { type, repeated, required }: Column,
  leaf: GraphQLLeafType,
): (value: unknown) => string {
  const write = quickWriters[type] ?? ((value: unknown) => JSON.stringify(leaf.coerceOutputValue(value)));
  const one = (value: unknown): string => {
    try {
      return write(value) ?? unexpected();
    } catch {
      return unexpected();
    }
  };
  const isList = repeated && type !== 'record';
  return (value) => {
    if (value === undefined || value === null) return required ? unexpected() : 'null';
    if (!isList) return one(value);
    // A list of the schema holds no nulls.
    if (!Array.isArray(value) || value.some((item) => item === null)) return unexpected();
    return `[${value.map(one).join(',')}]`;
  };
}

function unexpected(): never {
  throw new UnexpectedCell();
}

/** The same text as the type's serializer gives, for the types that most cells have; undefined for other values. */
const quickWriters: Partial<Record<Column['type'], (value: unknown) => string | undefined>> = {
  string: (value) => (typeof value === 'string' ? JSON.stringify(value) : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  timestamp: (value) => (typeof value === 'number' ? `"${isoText(value)}"` : undefined),
};
