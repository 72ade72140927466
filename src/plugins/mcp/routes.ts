import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { RouteHost } from '../../gateway/plugin.ts';
import type { RequestHead } from '../../http/message/head.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { buildAnswer, replyRefusal } from './answer.ts';
import type { CallFacts } from './calls/call-request.ts';
import { buildCallTool } from './calls/call-tool.ts';
import { buildCheckSql } from './calls/check-sql.ts';
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
  const tools = buildToolNames(catalog);
  const call = buildMethods({
    callTool: buildCallTool({
      host,
      tools,
      callQuery: buildCallQuery(host, limits),
      checkSql: buildCheckSql(host),
      note,
    }),
    listTools: buildListTools(tools, host),
    listResources: (principal) => listResources(tools, principal),
    readResource: buildReadResource(host, tools, limits),
  });
  const { log, basePath } = host;
  return [
    {
      path: mcpPath,
      methods: ['POST'],
      access: 'key',
      allowsCors: true,
      answer: buildAnswer({ call, log, basePath, origins }),
      replyError: replyRefusal,
    },
  ];
}
