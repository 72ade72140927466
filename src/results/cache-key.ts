import { createHash } from 'node:crypto';
import { type BoundQuery, bind, plainParameters } from '../catalog/binding/bind.ts';
import type { Catalog, ParameterText, SavedQuery } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';

/**
 * The cache key of a bound query: equal for two callers exactly when the same SQL runs with the same values and has the
 * same columns. It is `[id, definition, max rows, [values in the order of declaration]]` as JSON, and is not hashed: a
 * gateway that finds it in the shared demand can parse it. A caller's SQL is one element more: no gateway parses such a
 * key, so that no other one runs the SQL.
 */
export function cacheKey(bound: BoundQuery): string {
  const { query, parameters, sql } = bound;
  const key =
    keys.get(bound) ??
    `${prefix(query)}${JSON.stringify(query.parameters.map(({ name }) => parameters[name]))}${sql === undefined ? '' : `,${JSON.stringify(sql)}`}]`;
  keys.set(bound, key);
  return key;
}

const keys = new WeakMap<BoundQuery, string>();

/** The bound query of a key; undefined if it is not a key of this catalog, as any text from the shared cache may be. */
export function parseCacheKey({ queries }: Catalog, key: string, now = Date.now()): BoundQuery | undefined {
  const query = queries.find((candidate) => key.startsWith(prefix(candidate)));
  if (query === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(key.slice(prefix(query).length, -1));
    if (!Array.isArray(values)) return undefined;
    const raw = query.parameters.map(({ name }, at) => [name, textOf(values[at])] as const);
    const bound = bind(query, plainParameters(Object.fromEntries(raw)), now);
    return cacheKey(bound) === key ? bound : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof GatewayError) return undefined;
    throw error;
  }
}

const textOf = (value: unknown): ParameterText =>
  Array.isArray(value) ? value.map(String) : String(value ?? '');

const prefixes = new WeakMap<SavedQuery, string>();

function prefix(query: SavedQuery): string {
  const cached = prefixes.get(query);
  if (cached !== undefined) return cached;
  const computed = `${JSON.stringify([query.id, definition(query), query.maxRows]).slice(0, -1)},`;
  prefixes.set(query, computed);
  return computed;
}

/** Changes with everything that affects rows; titles and descriptions do not. */
function definition({ sql, columns, parameters }: SavedQuery): string {
  const shape = [
    sql,
    parameters.map(({ name, bind: type, repeated }) => (type || repeated ? [name, type, repeated] : name)),
    columns.map(({ name, type, repeated, required }) => [name, type, repeated, required]),
  ];
  return createHash('sha256').update(JSON.stringify(shape)).digest('base64url');
}
