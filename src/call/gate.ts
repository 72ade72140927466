import type { BoundQuery } from '../catalog/binding/bind.ts';
import { withoutTenant } from '../catalog/binding/bind-tenant.ts';
import { callerSql, sqlParameter } from '../catalog/binding/caller-sql.ts';
import { forUser } from '../catalog/binding/session-user.ts';
import { unknownQuery } from '../catalog/model/find-query.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { GatewayError, type Refusal } from '../errors.ts';
import { mayPassSql, ownerOf, type Principal } from '../keys/principal.ts';
import { labelValue } from '../names/label-names.ts';
import { type Caller, type CallingRequest, followerOf } from './caller.ts';
import type { EndpointRequest } from './endpoint-request.ts';

/**
 * A saved query as one caller may run it now. Only the gate makes one: the class has a private field and is not exported, so
 * that no other object has its type. Everything that runs a query for a caller takes a call.
 */
class OpenedCall {
  readonly caller: Caller;
  readonly endpoint: EndpointRequest;
  readonly #bound: BoundQuery;

  constructor(caller: Caller, endpoint: EndpointRequest, bound: BoundQuery) {
    this.caller = caller;
    this.endpoint = endpoint;
    this.#bound = bound;
  }

  /** The query with the parameters, and the SQL, that were checked. */
  get bound(): BoundQuery {
    return this.#bound;
  }

  /**
   * The call of a query that was made of this one: a page of it, or its rows under conditions. The parameters that
   * restrict the caller to its tenants stay as they are.
   */
  over(bound: BoundQuery): OpenedCall {
    const own = Object.entries(this.#bound.parameters);
    if (
      bound.query.id !== this.#bound.query.id ||
      own.some(([name, value]) => bound.parameters[name] !== value)
    )
      throw new Error('a call of another query');
    return new OpenedCall(this.caller, this.endpoint, bound);
  }
}

/** A saved query as one caller may run it now; only the gate makes one. */
export type Call = OpenedCall;

interface GateOptions {
  readonly turns: LoopTurns;
  /** Writes a line to the log if an error is a refusal. */
  readonly audit: (error: unknown, head: CallingRequest, keyId: string) => void;
  readonly now: () => Date;
}

/** The one place that decides what a caller may run. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * The call of a saved query. It is made for every request, also if the result is cached. Keep the `EndpointRequest` for
   * equal requests: it is bound once.
   *
   * @throws GatewayError FORBIDDEN, or UNKNOWN_QUERY if that is to be hidden, before the parameters are checked; then as
   * `callerSql` and `bind` do; BAD_REQUEST if an allowed label has an invalid value. A refusal is in the log by then.
   */
  async open(endpoint: EndpointRequest, caller: Caller): Promise<Call> {
    const { principal } = caller.admission;
    const turn = isQuick(endpoint) ? undefined : this.#options.turns.next(ownerOf(principal));
    if (turn !== undefined) await turn;
    try {
      return new OpenedCall(caller, endpoint, this.#bind(principal, endpoint, caller.head.headers));
    } catch (error) {
      this.#options.audit(error, caller.head, principal.id);
      throw error;
    }
  }

  /** The same at once; undefined for a call that has to wait for a turn, or is refused: `open` has the reason. */
  openAtOnce(endpoint: EndpointRequest, caller: Caller): Call | undefined {
    if (!isQuick(endpoint)) return undefined;
    try {
      const bound = this.#bind(caller.admission.principal, endpoint, caller.head.headers);
      return new OpenedCall(caller, endpoint, bound);
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
  }

  /** The same at once, for what a client follows: by the rights that its caller has now. No request waits for it. */
  reopen(endpoint: EndpointRequest, principal: Principal): Call {
    const follower = followerOf(principal);
    return new OpenedCall(follower, endpoint, this.#bind(principal, endpoint, follower.head.headers));
  }

  #bind(principal: Principal, request: EndpointRequest, headers: CallingRequest['headers']): BoundQuery {
    const { query, parameters } = request;
    requireEndpoint(principal, query);
    const sql = parameters.has(sqlParameter) ? callerSql(query, parameters) : undefined;
    if (sql !== undefined && !mayPassSql(principal)) {
      throw new GatewayError('FORBIDDEN', 'sql: this key has no permission sql; leave sql out', {
        parameter: sqlParameter,
        refusal: { reason: 'permission', endpoint: query.name },
      });
    }
    const bound = forUser(request.bind(principal.tenants, sql, this.#options.now), principal.id);
    return query.labels.length === 0 ? bound : withLabels(bound, headers);
  }
}

/** More values, or characters that a pattern of the header is matched with, are not bound at once. */
const maxQuick = { values: 20, matchedLength: 100 };

/**
 * To check a pattern takes up to two milliseconds, as long as to check a list; and many requests may arrive in one turn of
 * the event loop, as the fields of an operation do.
 */
function isQuick({ isBound, query, parameters }: EndpointRequest): boolean {
  if (isBound) return true;
  let valueCount = 0;
  let matchedLength = 0;
  for (const { name, type, repeated, pattern } of query.parameters) {
    if (type === 'pattern') return false;
    const texts = parameters.get(name) ?? [];
    if (repeated) valueCount += texts.length;
    if (pattern !== undefined) for (const text of texts) matchedLength += text.length;
  }
  return valueCount <= maxQuick.values && matchedLength <= maxQuick.matchedLength;
}

/**
 * Requires that a key may query an endpoint. Call it before a message says anything of the endpoint's parameters.
 *
 * @throws GatewayError FORBIDDEN, or UNKNOWN_QUERY if that is to be hidden
 */
export function requireEndpoint(principal: Principal, query: SavedQuery): void {
  if (!mayQuery(principal, query)) throw refusedEndpoint(principal, query);
}

/** The error for an endpoint that a key may not query; that of one that does not exist, if the key must not know of it. */
export function refusedEndpoint(principal: Principal, query: SavedQuery): GatewayError {
  const refusal: Refusal = { reason: 'endpoint', endpoint: query.name };
  if (principal.hidesEndpoints) return unknownQuery(refusal);
  if (mayQuery({ ...principal, tenants: undefined }, query)) return withoutTenant(query);
  return new GatewayError(
    'FORBIDDEN',
    'This key may not query this endpoint; the GraphQL field endpoints lists those it may query',
    { refusal },
  );
}

/** True if the key may run the query with any parameters; other queries are not listed for it. */
export function mayQuery({ endpoints, tenants }: Principal, { id, tenant }: SavedQuery): boolean {
  return (endpoints?.has(id) ?? true) && (tenants === undefined || tenant !== undefined);
}

/** A request's own labels for the engine's bill, as in `LF-ENDPOINT-LABELS: team=web,session_id=42`. */
export const labelsHeader = 'LF-ENDPOINT-LABELS';

const labelsHeaderName = labelsHeader.toLowerCase();

/** The query with those labels of the request that it allows; others are ignored, like undeclared parameters. */
function withLabels(bound: BoundQuery, headers: CallingRequest['headers']): BoundQuery {
  const { labels: allowed } = bound.query;
  const text = headers[labelsHeaderName];
  if (text === undefined) return bound;
  const labels: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [key = '', value = ''] = pair.split('=', 2).map((part) => part.trim());
    if (!allowed.includes(key)) continue;
    if (!labelValue.test(value)) {
      throw new GatewayError(
        'BAD_REQUEST',
        `${labelsHeader}: ${key} must be up to 63 lowercase letters, digits, _ and -, as in ${key}=some-value`,
      );
    }
    labels[key] = value;
  }
  return { ...bound, labels };
}
