import { type Explainer, openExplainer, type Sandbox } from '@querygate/bigquery-sql/sandbox';
import { judged, sqlParameter } from '../../catalog/binding/caller-sql.ts';
import { findQuery } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { computingOwner } from '../../concurrency/loop-turns.ts';
import type { RouteHost } from '../../gateway/plugin.ts';
import { GatewayError } from '../../errors.ts';
import { requireEndpoint } from '../../call/gate.ts';
import { decodeText } from '../../http/message/prepared-request.ts';
import { EndpointRequest } from '../../call/endpoint-request.ts';
import { replyJson } from '../../http/message/reply.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { ownerOf, mayPassSql, type Principal } from '../../keys/principal.ts';
import { memoize } from '../../memoize.ts';

/** Followed by the name of a saved query that takes SQL; its parameters, `sql` too, are in the query string. */
export const explainPath = '/sql/explain/';

/**
 * How a caller's SQL would run: its SQL for DuckDB, its columns and its plan. It takes the same keys, parameters and texts as
 * the endpoint itself, runs nothing, and knows of the saved query only what its common tables are. Without `sql`, it says what
 * these tables are.
 */
export function explainRoute(
  catalog: Catalog,
  { open, sandboxOf, turns }: Pick<RouteHost, 'open' | 'sandboxOf' | 'turns'>,
  loggedPath: PluginRoute['loggedPath'],
): PluginRoute {
  return {
    path: `${explainPath}*`,
    access: 'key',
    ...(loggedPath && { loggedPath }),
    async answer(head, { url, parameters = new Map() }, admission) {
      const { principal } = admission;
      const query = findQuery(catalog, decodeText(url.pathname.slice(explainPath.length)));
      const endpoint = new EndpointRequest(query, parameters);
      const sql = parameters.has(sqlParameter)
        ? (await open(endpoint, { head, admission })).bound.sql
        : withoutSql(principal, query);
      await turns.wait(computingOwner(ownerOf(principal)));
      const sandbox = sandboxOf(query);
      if (sandbox === undefined) {
        const message = `${sqlParameter}: this endpoint takes none`;
        throw new GatewayError('INVALID_PARAMETER', message, { parameter: sqlParameter });
      }
      const { tables, explain } = explainerOf(sandbox);
      return replyJson(200, JSON.stringify(sql === undefined ? { tables } : judged(() => explain(sql))));
    },
  };
}

/** For a caller who wants to know the tables. @throws GatewayError as the endpoint does */
function withoutSql(principal: Principal, query: SavedQuery): undefined {
  requireEndpoint(principal, query);
  if (!mayPassSql(principal)) throw new GatewayError('FORBIDDEN', 'sql: this key has no permission sql');
}

/** The outline of the common tables is made once. */
const explainerOf = memoize((sandbox: Sandbox): Explainer => openExplainer(sandbox));
