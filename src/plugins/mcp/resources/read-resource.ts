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

type Host = Pick<RouteHost, 'open' | 'obtain' | 'turns' | 'rejectKeys' | 'sandboxOf' | 'audit'>;

/** As of the URLs of requests. */
const maxUrlLength = 8_192;

export function buildReadResource(host: Host, tools: ToolNames, limits: AnswerLimits): ReadResource {
  const contents = new Contents(host, tools, limits);
  return async ({ uri }, request) => {
    if (typeof uri !== 'string')
      throw new ProtocolError('invalidParams', 'params.uri must be the URI of a resource');
    if (uri.length > maxUrlLength)
      throw new ProtocolError(
        'invalidParams',
        `params.uri has ${uri.length} characters; the limit is ${maxUrlLength}; call the tool, whose arguments may be longer`,
      );
    const address = parseUri(uri);
    try {
      const content = address && (await contents.of(address, uri, request));
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

/** The contents of resources. */
class Contents {
  readonly #host: Host;
  readonly #tools: ToolNames;
  readonly #limits: AnswerLimits;
  readonly #readCall: ReturnType<typeof buildReadCall>;

  constructor(host: Host, tools: ToolNames, limits: AnswerLimits) {
    this.#host = host;
    this.#tools = tools;
    this.#limits = limits;
    this.#readCall = buildReadCall(host.rejectKeys);
  }

  /** @returns undefined for a resource that the caller may not read, or that does not exist */
  async of(address: ResourceAddress, uri: string, request: CallRequest): Promise<Content | undefined> {
    switch (address.kind) {
      case 'catalog':
        return this.#catalog(request);
      case 'query':
        return this.#query(address.name, request);
      case 'schema':
        return this.#schema(address, request);
      case 'result':
        return this.#result(address, uri, request);
    }
  }

  #catalog({ admission }: CallRequest): Content {
    const lines = this.#tools
      .listed(admission.principal)
      .map(({ name, endpoint }) => [name, endpoint.query.description].map(csvCell).join(','));
    return csv('tool,description', lines);
  }

  #query(tool: string, request: CallRequest): Content | undefined {
    const found = this.#listedTool(tool, request);
    if (found === undefined || found.takesSql) return undefined;
    const { name, endpoint } = found;
    const sqlTool = this.#tools.sqlToolOf(endpoint)?.name;
    const described = describeQuery(name, endpoint.query, request.admission.principal, sqlTool);
    return { mimeType: 'application/json', text: JSON.stringify(described), ttlMs: listTtlMs };
  }

  #schema(
    { name, table }: ResourceAddress & { readonly kind: 'schema' },
    request: CallRequest,
  ): Content | undefined {
    const tool = this.#sqlTool(name, request);
    const sandbox = tool && this.#host.sandboxOf(tool.endpoint.query);
    const all = sandbox === undefined ? [] : sqlTables(sandbox);
    const shown = table === undefined ? all : all.filter((one) => one.name === table);
    if (shown.length === 0) return undefined;
    const lines = shown.flatMap(({ name, columns }) =>
      columns.map((column) => [name, column.name, column.type].map(csvCell).join(',')),
    );
    return csv('table,column,type', lines);
  }

  async #result(
    { name, given, from }: ResourceAddress & { readonly kind: 'result' },
    uri: string,
    request: CallRequest,
  ): Promise<Content | undefined> {
    const { admission, head } = request;
    const { principal } = admission;
    const takesSql = Object.hasOwn(given, sqlParameter);
    const tool = takesSql ? this.#sqlTool(name, request) : this.#listedTool(name, request);
    if (tool === undefined) return undefined;
    const endpoint = this.#readCall(tool, given, principal);
    const call = await this.#host.open(endpoint, { head, admission });
    const obtained = await this.#host.obtain(call, rowHints);
    const page = { ...obtained, name, uri: uri.replace(/#.*$/, ''), from };
    const text = await this.#host.turns.run(ownerOf(principal), writePage(page, this.#limits));
    return { mimeType: 'text/plain', text, ttlMs: ttlOf(obtained.result) };
  }

  #listedTool(name: string, { admission }: CallRequest): NamedTool | undefined {
    return this.#tools.findListed(name, admission.principal);
  }

  /** @param name of a tool of which it is the one for SQL */
  #sqlTool(name: string, request: CallRequest): NamedTool | undefined {
    const tool = this.#listedTool(name, request);
    const forSql = tool && this.#tools.sqlToolOf(tool.endpoint);
    return forSql && this.#listedTool(forSql.name, request);
  }
}

const csv = (head: string, lines: readonly string[]): Content => ({
  mimeType: 'text/csv',
  text: [head, ...lines, ''].join('\n'),
  ttlMs: listTtlMs,
});

const notFound = (uri: string, { era }: CallRequest): ProtocolError =>
  new ProtocolError(
    era === 'modern' ? 'invalidParams' : 'resourceNotFound',
    'Resource not found; resources/list and resources/templates/list have all that this key may read',
    { data: { uri } },
  );

/** Until the result is no longer fresh, or a default of the request is another value. */
function ttlOf({ caching, document, obtainedAt, defaultsUntil = Infinity }: CachedResult): number {
  if (caching === 'disabled') return 0;
  const freshMs = caching.ttlSeconds * 1_000 - ageMs(document, obtainedAt);
  return Math.max(0, Math.floor(Math.min(freshMs, defaultsUntil - obtainedAt)));
}
