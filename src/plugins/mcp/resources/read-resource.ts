import { ownerOf } from '../../../keys/principal.ts';
import { sqlParameter } from '../../../catalog/binding/caller-sql.ts';
import { GatewayError } from '../../../errors.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { ageMs } from '../../../results/freshness.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { CallRequest } from '../calls/call-request.ts';
import { buildReadCall, WrongArguments } from '../calls/read-call.ts';
import { rowHints } from '../calls/suggest.ts';
import type { NamedTool, ToolNames } from '../calls/tool-names.ts';
import { sqlTables } from '../definitions/sql-tables.ts';
import type { JsonMembers } from '../protocol/message.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { listTtlMs, resultText } from '../protocol/result-text.ts';
import { csvCell } from '../rows/cells.ts';
import type { AnswerLimits } from '../rows/cut-rows.ts';
import { writePage } from '../rows/write-page.ts';
import { describeQuery } from '../definitions/describe-query.ts';
import { parseUri, type ResourceAddress } from './uris.ts';

/** Answers `resources/read`. @throws ProtocolError; GatewayError as `RouteHost.obtain` does */
export type ReadResource = (params: JsonMembers, request: CallRequest) => Promise<string>;

interface Content {
  readonly mimeType: string;
  readonly text: string;
  /** How long a client may keep it. */
  readonly ttlMs: number;
}

export function buildReadResource(
  host: Pick<RouteHost, 'open' | 'obtain' | 'turns' | 'rejectKeys' | 'sandboxOf' | 'audit'>,
  tools: ToolNames,
  limits: AnswerLimits,
): ReadResource {
  const readCall = buildReadCall(host.rejectKeys);

  const result = async (
    { name, given, from }: ResourceAddress & { readonly kind: 'result' },
    uri: string,
    request: CallRequest,
  ): Promise<Content | undefined> => {
    const { admission, head } = request;
    const { principal } = admission;
    const tool = Object.hasOwn(given, sqlParameter) ? sqlTool(name, request) : listedTool(name, request);
    if (tool === undefined) return undefined;
    const endpoint = readCall(tool, given, principal);
    const obtained = await host.obtain(await host.open(endpoint, { head, admission }), rowHints);
    const page = { ...obtained, name, uri: uri.replace(/#.*$/, ''), from };
    const text = await host.turns.run(ownerOf(principal), writePage(page, limits));
    return { mimeType: 'text/plain', text, ttlMs: ttlOf(obtained.result) };
  };
  const listedTool = (name: string, { admission }: CallRequest): NamedTool | undefined =>
    tools.findListed(name, admission.principal);
  /** @param name of a tool of which it is the one for SQL */
  const sqlTool = (name: string, request: CallRequest): NamedTool | undefined => {
    const tool = listedTool(name, request);
    const forSql = tool && tools.sqlToolOf(tool.endpoint);
    return forSql && listedTool(forSql.name, request);
  };
  const schema = (
    { name, table }: ResourceAddress & { readonly kind: 'schema' },
    request: CallRequest,
  ): Content | undefined => {
    const tool = sqlTool(name, request);
    const sandbox = tool && host.sandboxOf(tool.endpoint.query);
    const all = sandbox === undefined ? [] : sqlTables(sandbox);
    const shown = table === undefined ? all : all.filter((one) => one.name === table);
    if (shown.length === 0) return undefined;
    const lines = shown.flatMap(({ name, columns }) =>
      columns.map((column) => [name, column.name, column.type].map(csvCell).join(',')),
    );
    return { mimeType: 'text/csv', text: ['table,column,type', ...lines, ''].join('\n'), ttlMs: listTtlMs };
  };
  const contentOf = async (
    address: ResourceAddress,
    uri: string,
    request: CallRequest,
  ): Promise<Content | undefined> => {
    const { principal } = request.admission;
    switch (address.kind) {
      case 'catalog': {
        const lines = tools
          .listed(principal)
          .map(({ name, endpoint }) => [name, endpoint.query.description].map(csvCell).join(','));
        return {
          mimeType: 'text/csv',
          text: ['tool,description', ...lines, ''].join('\n'),
          ttlMs: listTtlMs,
        };
      }
      case 'query': {
        const tool = listedTool(address.name, request);
        if (tool === undefined || tool.takesSql) return undefined;
        const { name, endpoint } = tool;
        const described = describeQuery(name, endpoint.query, principal, tools.sqlToolOf(endpoint)?.name);
        const text = JSON.stringify(described);
        return { mimeType: 'application/json', text, ttlMs: listTtlMs };
      }
      case 'schema':
        return schema(address, request);
      case 'result':
        return result(address, uri, request);
    }
  };
  return async ({ uri }, request) => {
    if (typeof uri !== 'string')
      throw new ProtocolError('invalidParams', 'params.uri must be the URI of a resource');
    const address = parseUri(uri);
    try {
      const content = address && (await contentOf(address, uri, request));
      if (content === undefined) throw notFound(uri, request);
      const { mimeType, text, ttlMs } = content;
      return resultText(request.era, { contents: JSON.stringify([{ uri, mimeType, text }]) }, ttlMs);
    } catch (error) {
      if (error instanceof WrongArguments) throw new ProtocolError('invalidParams', error.message);
      host.audit(error, request.head, request.admission.principal.id);
      if (error instanceof GatewayError && error.status < 500 && error.code !== 'CANCELLED')
        throw new ProtocolError('invalidParams', error.message, { data: { code: error.code } });
      throw error;
    }
  };
}

const notFound = (uri: string, { era }: CallRequest): ProtocolError =>
  new ProtocolError(
    era === 'modern' ? 'invalidParams' : 'resourceNotFound',
    'Resource not found; resources/list and resources/templates/list have all that this key may read',
    { data: { uri } },
  );

/** Until the result is no longer fresh. */
function ttlOf({ caching, document, obtainedAt }: CachedResult): number {
  if (caching === 'disabled') return 0;
  return Math.max(0, Math.floor(caching.ttlSeconds * 1_000 - ageMs(document, obtainedAt)));
}
