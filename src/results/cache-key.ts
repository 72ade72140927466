import { createHash } from 'node:crypto';
import { type BoundQuery, bind, plainParameters } from '../catalog/binding/bind.ts';
import { userOf } from '../catalog/binding/session-user.ts';
import type { Catalog, ParameterText, SavedQuery } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';
import { memoize } from '../memoize.ts';

/**
 * The cache key of a bound query: equal for two callers exactly when the same SQL runs with the same values and has the
 * same columns. It is `[id, definition, max rows, [values in the order of declaration]]` as JSON, and is not hashed: a
 * gateway that finds it in the shared demand can parse it. A caller's SQL is one element more, and SESSION_USER() one value
 * more: no gateway parses such a key, so that no other one runs the query.
 */
export const cacheKey = (bound: BoundQuery): string => keysOf(bound).plain;

/** Puts something before each key: gateways over other data share nothing, even on one Redis. */
export const prefixedCacheKey = (prefix: string) => {
  return (bound: BoundQuery): string => {
    const keys = keysOf(bound);
    if (keys.prefixed === undefined || keys.prefix !== prefix) {
      keys.prefix = prefix;
      keys.prefixed = prefix + keys.plain;
    }
    return keys.prefixed;
  };
};

/** To put a key together and to hash it takes as long as to look it up many times. */
interface Keys {
  readonly query: SavedQuery;
  readonly sql: string | undefined;
  readonly plain: string;
  prefix?: string;
  prefixed?: string;
}

/**
 * By the parameters, which a query with the labels of one request shares with others; another query or SQL with the same
 * parameters has keys of its own. Measured: in a `WeakMap`, keys of requests that are over stay until the whole heap is
 * collected, which takes longer than to put them together again.
 */
const recent = new Map<BoundQuery['parameters'], Keys>();
const maxRecent = 1_000;

/** Of long keys, which are few. */
const long = new WeakMap<BoundQuery['parameters'], Keys>();
const longLength = 2_000;

function keysOf({ query, parameters, sql }: BoundQuery): Keys {
  const before = recent.get(parameters) ?? long.get(parameters);
  if (before?.query === query && before.sql === sql) return before;
  const values = JSON.stringify([
    ...query.parameters.map(({ name }) => parameters[name]),
    ...userOf({ parameters }),
  ]);
  const plain = `${prefixOf(query)}${values}${sql === undefined ? '' : `,${JSON.stringify(sql)}`}]`;
  const keys: Keys = { query, sql, plain };
  if (recent.size >= maxRecent) recent.clear();
  (plain.length < longLength ? recent : long).set(parameters, keys);
  return keys;
}

/** The bound query of a key; undefined if it is not a key of this catalog, as any text from the shared cache may be. */
export function parseCacheKey({ queries }: Catalog, key: string, now = Date.now()): BoundQuery | undefined {
  const query = queries.find((candidate) => key.startsWith(prefixOf(candidate)));
  if (query === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(key.slice(prefixOf(query).length, -1));
    if (!Array.isArray(values) || !values.flat().every(isPlain)) return undefined;
    const raw = query.parameters.map(({ name }, at) => [name, textOf(values[at])] as const);
    const bound = bind(query, plainParameters(Object.fromEntries(raw)), now);
    return cacheKey(bound) === key ? bound : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Anything else is not a value of a parameter, and its text may be code that throws. */
const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';

const textOf = (value: unknown): ParameterText =>
  Array.isArray(value) ? value.map(String) : String(value ?? '');

const prefixOf = memoize(
  (query: SavedQuery) => `${JSON.stringify([query.id, definition(query), query.maxRows]).slice(0, -1)},`,
);

/** Changes with everything that affects rows; titles and descriptions do not. */
function definition({ sql, columns, parameters, schemas }: SavedQuery): string {
  const shape = [
    sql,
    parameters.map(({ name, bind: type, repeated }) => (type || repeated ? [name, type, repeated] : name)),
    columns.map(({ name, type, repeated, required }) => [name, type, repeated, required]),
    ...(schemas === undefined ? [] : [schemas]),
  ];
  return createHash('sha256').update(JSON.stringify(shape)).digest('base64url');
}
