import { struct } from '../tree/build.ts';
import type { Expression, Member } from '../tree/nodes.ts';
import { storedFields, structOf } from '../types.ts';

/** A STRUCT of fields in order; `name` is '' for anonymous ones, and several may be equal. */
export function structValue(fields: readonly Member[]): Expression {
  const stored = storedFields(fields);
  return {
    ...struct(fields.map(({ value }, index) => ({ name: stored[index] ?? '', value }))),
    type: structOf(fields.map(({ name, value }) => ({ name, type: value.type }))),
  };
}
