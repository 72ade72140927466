import { type Explainer, openExplainer, type Sandbox } from '@querygate/bigquery-sql/sandbox';
import { invalidSql, judged, sqlParameter } from '../../catalog/binding/caller-sql.ts';
import { findQuery } from '../../catalog/model/find-query.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { computingOwner } from '../../concurrency/loop-turns.ts';
import type { RouteHost } from '../../gateway/plugin.ts';
import { GatewayError } from '../../errors.ts';
import { authorizeAndBind, hiddenQuery, mayQuery, requireEndpoint } from '../../http/access/authorize.ts';
import type { RequestHead } from '../../http/message/head.ts';
import { decodeText, EndpointRequest } from '../../http/message/prepared-request.ts';
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
  { sandboxOf, turns, clock }: Pick<RouteHost, 'sandboxOf' | 'turns' | 'clock'>,
  loggedPath: PluginRoute['loggedPath'],
): PluginRoute {
  return {
    path: `${explainPath}*`,
    access: 'key',
    ...(loggedPath && { loggedPath }),
    async answer(head, { url, parameters = new Map() }, { principal }) {
      const query = findQuery(catalog, decodeText(url.pathname.slice(explainPath.length)));
      if (principal.hidesEndpoints && !mayQuery(principal, query)) throw hiddenQuery(query);
      const sql = sqlOf(principal, new EndpointRequest(query, parameters), head, clock);
      await turns.wait(computingOwner(ownerOf(principal)));
      const sandbox = sandboxOf(query);
      if (sandbox === undefined) throw invalidSql('this endpoint takes none');
      const { tables, explain } = explainerOf(sandbox);
      return replyJson(200, JSON.stringify(sql === undefined ? { tables } : judged(() => explain(sql))));
    },
  };
}

/** The caller's SQL; undefined for one who wants to know the tables. @throws GatewayError as the endpoint does */
function sqlOf(
  principal: Principal,
  request: EndpointRequest,
  { headers }: RequestHead,
  { now }: RouteHost['clock'],
): string | undefined {
  if (request.parameters.has(sqlParameter)) return authorizeAndBind(principal, request, headers, now).sql;
  requireEndpoint(principal, request.query);
  if (!mayPassSql(principal)) throw new GatewayError('FORBIDDEN', 'sql: this key has no permission sql');
  return undefined;
}

/** The outline of the common tables is made once. */
const explainerOf = memoize((sandbox: Sandbox): Explainer => openExplainer(sandbox));
