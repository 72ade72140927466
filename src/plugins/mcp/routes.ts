import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { RouteHost } from '../../gateway/plugin.ts';
import type { RequestHead } from '../../http/message/head.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { buildAnswer, replyRefusal } from './answer.ts';
import type { CallFacts } from './calls/call-request.ts';
import { buildCallTool } from './calls/call-tool.ts';
import { buildCheckSql } from './calls/check-sql.ts';
import { buildCallSearch } from './calls/search-calls.ts';
import { buildListTools } from './calls/list-tools.ts';
import { buildCallQuery } from './calls/query-calls.ts';
import { buildToolNames } from './calls/tool-names.ts';
import { listResources } from './resources/list-resources.ts';
import { buildReadResource } from './resources/read-resource.ts';
import { buildMethods } from './methods.ts';
import type { AnswerLimits } from './rows/cut-rows.ts';

interface McpRoutesOptions {
  readonly limits: AnswerLimits;
  readonly origins: readonly string[] | '*';
  readonly note: (head: RequestHead, facts: CallFacts) => void;
}

export const mcpPath = '/mcp';

/** The routes of one version of the catalog. */
export function buildMcpRoutes(
  catalog: Catalog,
  host: RouteHost,
  { limits, origins, note }: McpRoutesOptions,
): readonly PluginRoute[] {
  const { log, basePath } = host;
  const callQuery = buildCallQuery(host, limits);
  const checkSql = buildCheckSql(host);
  /** @param tag of the saved queries; undefined: all */
  const route = (path: string, tag: string | undefined): PluginRoute => {
    const tools = buildToolNames(catalog, tag);
    const call = buildMethods({
      callTool: buildCallTool({
        host,
        tools,
        callQuery,
        checkSql,
        callSearch: buildCallSearch(tools, host),
        note,
      }),
      listTools: buildListTools(tools, host),
      listResources: (principal) => listResources(tools, principal),
      readResource: buildReadResource(host, tools, limits),
    });
    return {
      path,
      methods: ['POST'],
      access: 'key',
      allowsCors: true,
      answer: buildAnswer({ call, log, basePath, origins }),
      replyError: replyRefusal,
    };
  };
  const tags = new Set(catalog.queries.flatMap((query) => query.tags ?? []));
  return [route(mcpPath, undefined), ...[...tags].map((tag) => route(`${mcpPath}/${tag}`, tag))];
}
