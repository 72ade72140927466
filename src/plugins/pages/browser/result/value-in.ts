import type { Column } from '../endpoint.ts';
import type { Json, JsonObject } from '../json.ts';

/** The value of a column; undefined for NULL. A column may have the name of a member of `Object.prototype`. */
export function valueIn(row: JsonObject, { name }: Column): Json | undefined {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return value === null ? undefined : value;
}
