import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';

/** Characters of a part, about: less than a millisecond of work. */
const partLength = 100_000;

/** The JSON text of an object in parts, of which the caller may do something else in between; together they are the text. */
export function* jsonTexts(value: JsonObject): Generator<void, readonly string[]> {
  const parts: string[] = [];
  let part = '';
  function* write(object: JsonObject, levels: number): Generator<void> {
    part += '{';
    let isFirst = true;
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue;
      part += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
      isFirst = false;
      if (levels > 0 && isObject(member)) yield* write(member, levels - 1);
      else part += JSON.stringify(member);
      if (part.length < partLength) continue;
      parts.push(part);
      part = '';
      yield;
    }
    part += '}';
  }
  yield* write(value, levels);
  return [...parts, part];
}

/** Of the members that are written one by one: paths, and below `components` the schemas. */
const levels = 2;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
