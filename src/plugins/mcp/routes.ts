import type { Catalog } from '../../catalog/model/saved-query.ts';
import { mayQuery } from '../../call/gate.ts';
import { GatewayError } from '../../errors.ts';
import type { RouteHost } from '../../gateway/plugin.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { buildAnswer, replyRefusal } from './answer.ts';
import { buildCallTool } from './calls/call-tool.ts';
import { buildCheckSql } from './calls/check-sql.ts';
import { buildCallSearch } from './calls/search-calls.ts';
import { buildListTools } from './calls/list-tools.ts';
import { buildCallQuery } from './calls/query-calls.ts';
import { buildToolNames } from './calls/tool-names.ts';
import { loadPrompts, type Prompt } from './prompts/load-prompts.ts';
import { listResources } from './resources/list-resources.ts';
import { buildReadResource } from './resources/read-resource.ts';
import { buildMethods } from './methods.ts';
import { metadataRoutes, type OauthOptions, withChallenge } from './oauth/protected-resource.ts';
import type { AnswerLimits } from './rows/cut-rows.ts';

interface McpRoutesOptions {
  readonly limits: AnswerLimits;
  readonly origins: readonly string[] | '*';
  readonly oauth: OauthOptions | undefined;
  /** A folder. */
  readonly prompts: string | undefined;
}

export const mcpPath = '/mcp';

/** The prompts of a folder; those that are wrong are logged. */
export function promptsOf(folder: string, log: RouteHost['log']): readonly Prompt[] {
  const { prompts, problems } = loadPrompts(folder);
  for (const { file, line, message } of problems)
    log.warn(`a prompt is left out: ${file}${line === undefined ? '' : `:${line}`} ${message}`);
  return prompts;
}

/** The routes of one version of the catalog. */
export function buildMcpRoutes(
  catalog: Catalog,
  host: RouteHost,
  { limits, origins, oauth, prompts }: McpRoutesOptions,
): readonly PluginRoute[] {
  const { log, shown, basePath } = host;
  const callQuery = buildCallQuery(host, limits);
  const checkSql = buildCheckSql(host);
  const right = `${basePath}${mcpPath}`;
  /** They are few, and are seldom requested: each request reads them. */
  const readPrompts = () => (prompts === undefined ? [] : promptsOf(prompts, log));
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
        givesTokens: oauth !== undefined,
      }),
      listTools: buildListTools(tools, host),
      listResources: (principal) => listResources(tools, principal),
      readResource: buildReadResource(host, tools, limits),
      prompts: readPrompts,
    });
    const answer = buildAnswer({ call, shown, basePath, origins, oauth });
    const tagged = catalog.queries.filter((query) => tag !== undefined && query.tags?.includes(tag));
    return {
      path,
      methods: ['POST'],
      access: 'key',
      allowsCors: true,
      answer(...request) {
        const { principal } = request[2];
        if (tag !== undefined && !tagged.some((query) => mayQuery(principal, query))) throw notFound(right);
        return answer(...request);
      },
      replyError: (error) => {
        const reply = replyRefusal(error);
        return oauth === undefined || reply.status !== 401 ? reply : withChallenge(reply, oauth);
      },
    };
  };
  const tags = new Set(catalog.queries.flatMap((query) => query.tags ?? []));
  return [
    ...(oauth === undefined ? [] : metadataRoutes(oauth, mcpPath)),
    route(mcpPath, undefined),
    ...[...tags].map((tag) => route(`${mcpPath}/${tag}`, tag)),
    // Tags of endpoints that a key may not query are answered as those that no query has.
    { ...route(`${mcpPath}/*`, noTag), isFallback: true },
    ...['/sse', `${mcpPath}/sse`, `${mcpPath}/**`].map((path) => otherPath(path, right)),
  ];
}

/** Where clients of the former transport, HTTP with SSE, look for a server. */
const otherPath = (path: string, right: string): PluginRoute => ({
  path,
  methods: ['GET', 'POST'],
  access: 'public',
  isFallback: true,
  allowsCors: true,
  answer() {
    throw notFound(right);
  },
});

const notFound = (right: string) =>
  new GatewayError('NOT_FOUND', `Not found; MCP is at ${right}, by Streamable HTTP`);

/** No query has it. */
const noTag = '';
