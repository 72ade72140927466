import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { describeIssue, schemaProblems } from '../../files/schema-problems.ts';
import { tenantSchema } from '../file/key-schema.ts';
import type { KeyRequest, KeySource, OpenKeys } from '../key-source.ts';
import { concurrencyLimiterFor, rateLimitFor } from '../keyring.ts';
import {
  type EndpointNames,
  hidesEndpoints,
  namesOf,
  type Principal,
  permissions,
  resolveEndpoints,
} from '../principal.ts';

const list = z.array(tenantSchema).min(1, 'must list at least one; write all, or omit it, to allow all');

const callerSchema = z.strictObject({
  id: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  tenants: z.union([z.literal('all'), list]).optional(),
  endpoints: z.union([z.literal('all'), list]).optional(),
  permissions: z.array(z.enum(permissions)).default([]),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
  concurrentQueries: z.int().min(1).max(10_000).optional(),
});

/** A caller, as a function of the request gives it. What it permits is bounded by each property that is there. */
export interface Caller {
  /**
   * Identifies the caller in the log and counts for its limits; callers of all sources have different ids. 1 to 200
   * characters: long and unusual ones are shown as a digest.
   */
  readonly id: string;
  /** Who it is, for people, up to 200 characters: the log has it once for each `id`. */
  readonly name?: string | undefined;
  /** The only tenants whose rows it can read; absent, or `all`: every tenant. A list must not be empty. */
  readonly tenants?: readonly string[] | 'all';
  /** The only endpoints that it may query, by name or UUID; absent, or `all`: every endpoint. */
  readonly endpoints?: readonly string[] | 'all';
  /**
   * `fresh`: to bypass the cache; `catalog`: to list all endpoints; `metrics`; `sql`: to send SQL of its own where a saved
   * query takes it. Default: none.
   */
  readonly permissions?: readonly ('fresh' | 'catalog' | 'metrics' | 'sql')[];
  /** From 1 to 1,000,000; absent: unlimited. */
  readonly requestsPerMinute?: number;
  /** From 1 to 10,000; absent: unlimited. */
  readonly concurrentQueries?: number;
}

/**
 * Finds the caller of a request by anything that it carries.
 *
 * @returns undefined for none: the request gets 401, or is given to the next source
 * @throws GatewayError to refuse it in another way; any other error is logged, and answered with 500
 */
export type KeyFunction = (request: KeyRequest) => Caller | undefined | Promise<Caller | undefined>;

/** How many callers are kept with the state of their limits. */
const maxCallers = 50_000;

/** Callers that a function of the request finds. */
export function keyFunction(callerOf: KeyFunction): KeySource {
  return { open: (host) => openFunction(callerOf, host) };
}

function openFunction(callerOf: KeyFunction, host: Parameters<KeySource['open']>[0]): OpenKeys {
  let queries: EndpointNames = namesOf(host.catalog.queries);
  /** By everything that the function says: the principal of a caller stays the same object. */
  const known = new LRUCache<string, Principal>({ max: maxCallers });
  const latest = new LRUCache<string, Principal>({ max: maxCallers });
  const names = new LRUCache<string, string>({ max: maxCallers });
  const principalOf = (caller: Caller): Principal => {
    const text = JSON.stringify(caller, undefinedAsNull);
    const same = known.get(text);
    if (same !== undefined) return same;
    const read = parseCaller(caller);
    const id = plainId.test(read.id) ? read.id : `#${hash('sha256', read.id, 'hex').slice(0, 16)}`;
    const tenants = read.tenants === 'all' ? undefined : read.tenants;
    const endpoints = read.endpoints === 'all' ? undefined : read.endpoints;
    const previous = latest.get(id);
    const principal = {
      id,
      permissions: new Set(read.permissions),
      endpoints: resolveEndpoints({ queries }, { endpoints }).ids,
      tenants: tenants && new Set(tenants),
      hidesEndpoints: hidesEndpoints(host.hideEndpoints, tenants !== undefined),
      rateLimiter: rateLimitFor(id, read.requestsPerMinute, previous?.rateLimiter, host.newRateLimit),
      concurrencyLimiter: concurrencyLimiterFor(read.concurrentQueries, previous?.concurrencyLimiter),
    };
    if (read.name !== undefined && names.get(id) !== read.name) {
      names.set(id, read.name);
      host.log.info({ key: id, name: read.name }, 'who a key of the log is');
    }
    known.set(text, principal);
    latest.set(id, principal);
    return principal;
  };
  return {
    readsRequest: true,
    find(_, { method, url, headers, address }) {
      if (url === undefined) return undefined;
      const caller = callerOf({ method, url, headers, address });
      if (!isPromise(caller)) return caller === undefined ? undefined : principalOf(caller);
      return Promise.resolve(caller).then((later) =>
        later === undefined ? { refusal: undefined } : { principal: principalOf(later) },
      );
    },
    replaceQueries(next) {
      queries = namesOf(next);
      known.clear();
    },
  };
}

/** Also one of another realm, or of a library. */
const isPromise = (value: ReturnType<KeyFunction>): value is Promise<Caller | undefined> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** It needs no escape in JSON. */
const plainId = /^[\w.@|:+-]{1,64}$/;

/** A property that is undefined by mistake must not be taken for one that is absent. */
const undefinedAsNull = (_: string, value: unknown) => (value === undefined ? null : value);

/** @throws TypeError if it has another shape: to ignore a wrong property would widen what the caller may do */
function parseCaller(caller: Caller): z.output<typeof callerSchema> {
  const parsed = callerSchema.safeParse(caller, { error: describeIssue });
  const problems = parsed.success
    ? missing(caller)
    : schemaProblems(parsed.error).map(({ message }) => message);
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new TypeError(`keys: the function gives a wrong caller: ${problems.join('; ')}`);
}

const missing = (caller: Caller): readonly string[] =>
  (['tenants', 'endpoints', 'requestsPerMinute', 'concurrentQueries'] as const)
    .filter((name) => name in caller && caller[name] === undefined)
    .map((name) => `${name}: is undefined; omit it to allow all`);
