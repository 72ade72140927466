import { hash } from 'node:crypto';
import { didYouMean } from '@querygate/text';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { describeIssue, schemaProblems } from '../../files/schema-problems.ts';
import { tenantSchema } from '../file/key-schema.ts';
import type { KeyRequest, KeySource, OpenKeys } from '../key-source.ts';
import { isThenable } from '../../concurrency/thenable.ts';
import { GatewayError, GivenCodeError } from '../../errors.ts';
import { buildLimitedPrincipals, type LimitedPrincipal } from '../limited-principals.ts';
import {
  type EndpointNames,
  hidesEndpoints,
  namesOf,
  type Principal,
  permissions,
  resolveEndpoints,
} from '../principal.ts';

const list = z.array(tenantSchema).min(1, 'must list at least one; write all, or omit it, to allow all');

const listOrAll = z.union([z.literal('all'), list], { error: 'must be a list of texts, or all' });

const callerSchema = z.strictObject({
  id: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  tenants: listOrAll.optional(),
  endpoints: listOrAll.optional(),
  permissions: z.array(z.enum(permissions)).default([]),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
  concurrentQueries: z.int().min(1).max(10_000).optional(),
});

/** A caller, as a function of the request gives it. Each property that is there bounds its rights. */
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

/** Warnings that are given without a log; each once. */
const maxWarnings = 10;

/** How many callers are recognized. */
const maxCallers = 50_000;

/** Callers that a function of the request finds. */
export function keyFunction(callerOf: KeyFunction): KeySource {
  return { open: (host) => openFunction(callerOf, host) };
}

function openFunction(callerOf: KeyFunction, host: Parameters<KeySource['open']>[0]): OpenKeys {
  let queries: EndpointNames = namesOf(host.catalog.queries);
  /** By everything that the function says: the principal of a caller stays the same object. */
  const known = new LRUCache<string, LimitedPrincipal>({ max: maxCallers });
  const limitedPrincipal = buildLimitedPrincipals(host.newRateLimit);
  const names = new LRUCache<string, string>({ max: maxCallers });
  const principalOf = (caller: unknown): Principal => {
    const given = readOnce(caller);
    // A principal is found by exactly what it was made of.
    const text = isPlain(given) ? JSON.stringify(given) : undefined;
    const same = text === undefined ? undefined : known.get(text);
    if (same !== undefined) return same();
    const read = parseCaller(given);
    const id = plainId.test(read.id) ? read.id : `#${hash('sha256', read.id, 'hex').slice(0, 16)}`;
    const tenants = read.tenants === 'all' ? undefined : read.tenants;
    const endpoints = read.endpoints === 'all' ? undefined : read.endpoints;
    const rights = {
      id,
      permissions: new Set(read.permissions),
      endpoints: resolveEndpoints({ queries }, { endpoints }).ids,
      tenants: tenants && new Set(tenants),
      hidesEndpoints: hidesEndpoints(host.hideEndpoints, tenants !== undefined),
    };
    const { requestsPerMinute, concurrentQueries } = read;
    const principal = limitedPrincipal(rights, { requestsPerMinute, concurrentQueries });
    if (read.name !== undefined && names.get(id) !== read.name) {
      names.set(id, read.name);
      host.log.info({ key: id, name: read.name }, 'who a key of the log is');
    }
    if (text !== undefined) known.set(text, principal);
    return principal();
  };
  /** Without a log, its author would see a status of 500 only. */
  const warned = new Set<string>();
  const failed = (error: unknown): never => {
    if (error instanceof GatewayError) throw error;
    const text = String(error);
    if (!host.log.isLevelEnabled('error') && warned.size < maxWarnings && !warned.has(text)) {
      warned.add(text);
      process.emitWarning(text, 'QuerygateWarning');
    }
    throw new GivenCodeError('the function of keys has failed', error);
  };
  return {
    readsRequest: true,
    find(_, { method, url, headers, address }) {
      if (url === undefined) return undefined;
      try {
        const caller = callerOf({ method, url, headers, address });
        if (!isThenable(caller)) return caller === undefined ? undefined : principalOf(caller);
        return Promise.resolve(caller)
          .then((later) => (later === undefined ? { refusal: undefined } : { principal: principalOf(later) }))
          .catch(failed);
      } catch (error) {
        return failed(error);
      }
    },
    replaceQueries(next) {
      queries = namesOf(next);
      known.clear();
    },
  };
}

/** It needs no escape in JSON. */
const plainId = /^[\w.@|:+-]{1,64}$/;

/** A caller as the function gives it: nothing is known of it yet. */
type Given = Readonly<Record<string, unknown>>;

/** An absent property of these permits all: one that is undefined by mistake must not be taken for it. */
const restrictions: ReadonlySet<string> = new Set([
  'tenants',
  'endpoints',
  'requestsPerMinute',
  'concurrentQueries',
]);

/**
 * The properties of a caller, each read once: those of a class are getters, which a copy would leave out, and may give
 * something else the next time.
 *
 * @throws TypeError if it is not an object, has an unknown property, or one that is undefined
 */
function readOnce(caller: unknown): Given {
  if (typeof caller !== 'object' || caller === null)
    throw wrongCaller([
      `is ${typeof caller === 'string' ? 'a text' : caller}; return undefined for an unknown caller`,
    ]);
  const unknown = unknownProperty(caller);
  if (unknown !== undefined) throw wrongCaller([`unknown: ${unknown}${didYouMean(unknown, propertyNames)}`]);
  const given: Record<string, unknown> = {};
  for (const name of propertyNames) {
    const value: unknown = Reflect.get(caller, name);
    if (value !== undefined) given[name] = Array.isArray(value) ? Array.from<unknown>(value) : value;
    else if (restrictions.has(name) && name in caller)
      throw wrongCaller([`${name}: is undefined; omit it to allow all`]);
  }
  return given;
}

const propertyNames = Object.keys(callerSchema.shape);

/**
 * To ignore a misspelled property would widen what the caller may do, also one that a class has. Methods, and what else a class
 * has, restrict nothing.
 */
function unknownProperty(caller: object): string | undefined {
  for (let from: object | null = caller; from !== null; from = Object.getPrototypeOf(from)) {
    if (from === Object.prototype) return undefined;
    for (const name of Object.getOwnPropertyNames(from)) {
      if (name in callerSchema.shape) continue;
      const property = Object.getOwnPropertyDescriptor(from, name);
      if (typeof property?.value === 'function') continue;
      const isShown = from === caller && property?.enumerable === true;
      if (isShown || didYouMean(name, propertyNames) !== '') return name;
    }
  }
  return undefined;
}

/** True if JSON keeps all of it. */
const isPlain = (given: Given): boolean =>
  Object.values(given).every((value) =>
    Array.isArray(value)
      ? value.every((one) => typeof one === 'string')
      : typeof value === 'string' || Number.isFinite(value),
  );

/** @throws TypeError if it has another shape */
function parseCaller(given: Given): z.output<typeof callerSchema> {
  const parsed = callerSchema.safeParse(given, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw wrongCaller(schemaProblems(parsed.error).map(({ message }) => message));
}

const wrongCaller = (problems: readonly string[]): TypeError =>
  new TypeError(`the function of keys gives a wrong caller: ${problems.join('; ')}`);
