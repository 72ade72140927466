import type { RawParameters } from './list-values.ts';

const bracketed = /^([^[\]]+)\[(\d*)\]$/;

/** The name before brackets in which a list may be written: `id` of `id[]` and of `id[0]`. Others stay as they are. */
export const listNameOf = (name: string): string =>
  name.endsWith(']') ? (bracketed.exec(name)?.[1] ?? name) : name;

/** `id[]` and `id` are before `id[0]`. */
const placeOf = (name: string): number => Number(bracketed.exec(name)?.[2] || -1);

/**
 * Parameters whose lists are written with brackets, as axios and PHP have them, under the names of the lists.
 *
 * @param lists names that may have several values
 */
export function mergeLists(parameters: RawParameters, lists: ReadonlySet<string>): RawParameters {
  if (![...parameters.keys()].some((name) => lists.has(listNameOf(name)) && !lists.has(name)))
    return parameters;
  const merged = new Map<string, string[]>();
  for (const [name, values] of [...parameters].sort(([a], [b]) => placeOf(a) - placeOf(b))) {
    const base = listNameOf(name);
    const key = lists.has(base) ? base : name;
    merged.set(key, [...(merged.get(key) ?? []), ...values]);
  }
  return merged;
}
