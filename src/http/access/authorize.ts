import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { callerSql, sqlParameter } from '../../catalog/binding/caller-sql.ts';
import { forUser } from '../../catalog/binding/session-user.ts';
import { unknownQuery } from '../../catalog/model/find-query.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError, type Refusal } from '../../errors.ts';
import { mayPassSql, type Principal } from '../../keys/principal.ts';
import { labelValue } from '../../names/label-names.ts';
import type { RequestHeaders } from '../message/head.ts';
import type { EndpointRequest } from '../message/prepared-request.ts';

/**
 * The query as this caller may run it. It is called for every request, also if the result is cached.
 *
 * @throws GatewayError FORBIDDEN, or UNKNOWN_QUERY if that is to be hidden, before the parameters are checked; then as
 * `callerSql` and `bind` do; BAD_REQUEST if an allowed label has an invalid value
 */
export function authorizeAndBind(
  principal: Principal,
  request: EndpointRequest,
  headers: RequestHeaders,
  now: () => Date,
): BoundQuery {
  const { tenants } = principal;
  const { query, parameters } = request;
  requireEndpoint(principal, query);
  const sql = parameters.has(sqlParameter) ? callerSql(query, parameters) : undefined;
  if (sql !== undefined && !mayPassSql(principal)) {
    throw new GatewayError('FORBIDDEN', 'sql: this key has no permission sql; leave sql out', {
      parameter: sqlParameter,
      refusal: { reason: 'permission', endpoint: query.name },
    });
  }
  const bound = forUser(request.bind(tenants, sql, now), principal.id);
  return query.labels.length === 0 ? bound : withLabels(bound, headers);
}

/**
 * Requires that a key may query an endpoint. Call it before a message says anything of the endpoint's parameters.
 *
 * @throws GatewayError FORBIDDEN, or UNKNOWN_QUERY if that is to be hidden
 */
export function requireEndpoint(principal: Principal, query: SavedQuery): void {
  const { endpoints } = principal;
  if (principal.hidesEndpoints && !mayQuery(principal, query)) throw hiddenQuery(query);
  if (endpoints !== undefined && !endpoints.has(query.id)) {
    throw new GatewayError(
      'FORBIDDEN',
      'This key may not query this endpoint; the GraphQL field endpoints lists those it may query',
      { refusal: endpointRefusal(query) },
    );
  }
}

/** The error for an endpoint that a key must not know of: that of one that does not exist. */
export const hiddenQuery = (query: SavedQuery): GatewayError => unknownQuery(endpointRefusal(query));

const endpointRefusal = ({ name }: SavedQuery): Refusal => ({ reason: 'endpoint', endpoint: name });

/** True if the key may run the query with any parameters; other queries are not listed for it. */
export function mayQuery({ endpoints, tenants }: Principal, { id, tenant }: SavedQuery): boolean {
  return (endpoints?.has(id) ?? true) && (tenants === undefined || tenant !== undefined);
}

/** A request's own labels for the engine's bill, as in `LF-ENDPOINT-LABELS: team=web,session_id=42`. */
export const labelsHeader = 'LF-ENDPOINT-LABELS';

const labelsHeaderName = labelsHeader.toLowerCase();

/** The query with those labels of the request that it allows; others are ignored, like undeclared parameters. */
function withLabels(bound: BoundQuery, headers: RequestHeaders): BoundQuery {
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
