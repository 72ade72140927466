import { createHash } from 'node:crypto';
import { type BoundQuery, bind, plainParameters } from '../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../catalog/saved-query.ts';
import { GatewayError } from '../errors.ts';

/**
 * One text for one question: equal for two callers exactly when the same SQL runs with the same values and promises the
 * same columns. It is `[id, definition, max rows, [values in the order of declaration]]` as JSON; keys are compared
 * whole.
 *
 * @see design "How an answer is obtained": one canonical key per answer
 */
export function cacheKey(bound: BoundQuery): string {
  const { query, parameters } = bound;
  const key =
    keys.get(bound) ??
    `${prefix(query)}${JSON.stringify(query.parameters.map(({ name }) => parameters[name]))}]`;
  keys.set(bound, key);
  return key;
}

const keys = new WeakMap<BoundQuery, string>();

/** The question that a key stands for, where this catalog still has it; a key from elsewhere may be any text. */
export function parseCacheKey({ queries }: Catalog, key: string): BoundQuery | undefined {
  const query = queries.find((one) => key.startsWith(prefix(one)));
  if (query === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(key.slice(prefix(query).length, -1));
    if (!Array.isArray(values)) return undefined;
    const raw = query.parameters.map(({ name }, at) => [name, String(values[at] ?? '')] as const);
    const bound = bind(query, plainParameters(Object.fromEntries(raw)));
    return cacheKey(bound) === key ? bound : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof GatewayError) return undefined;
    throw error;
  }
}

const prefixes = new WeakMap<SavedQuery, string>();

function prefix(query: SavedQuery): string {
  const known = prefixes.get(query);
  if (known !== undefined) return known;
  const made = `${JSON.stringify([query.id, definition(query), query.maxRows]).slice(0, -1)},`;
  prefixes.set(query, made);
  return made;
}

/** Changes with everything that changes rows: words for people do not. */
function definition({ sql, columns, parameters }: SavedQuery): string {
  const shape = [
    sql,
    parameters.map(({ name }) => name),
    columns.map(({ name, type, repeated, required }) => [name, type, repeated, required]),
  ];
  return createHash('sha256').update(JSON.stringify(shape)).digest('base64url');
}
