import { field, struct } from '../tree/build.ts';
import type { Expression, Member } from '../tree/nodes.ts';
import { type StructType, storedFields, structOf } from '../types.ts';

/** A STRUCT of a type, of the values of its fields in order. */
export function structOfValues(values: readonly Expression[], type: StructType): Expression {
  const stored = storedFields(type.fields);
  return { ...struct(values.map((value, index) => ({ name: stored[index] ?? '', value }))), type };
}

/** A STRUCT of fields in order; `name` is '' for anonymous ones, and several may be equal. */
export const structValue = (fields: readonly Member[]): Expression =>
  structOfValues(
    fields.map(({ value }) => value),
    structOf(fields.map(({ name, value }) => ({ name, type: value.type }))),
  );

/** All fields of a STRUCT, in order; `name` is '' for anonymous ones. */
export function fieldValues(of: Expression): readonly Member[] {
  if (of.type.kind !== 'struct') return [];
  const stored = storedFields(of.type.fields);
  return of.type.fields.map(({ name, type }, index) => ({
    name,
    value: field(of, stored[index] ?? '', type),
  }));
}
