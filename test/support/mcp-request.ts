/** What a request of an agent gets. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON-RPC message; undefined for none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly message: any;
}

/** The result of a tool, as far as tests look at it. */
export interface ToolResult {
  readonly text: string;
  readonly content: readonly Readonly<Record<string, unknown>>[];
  // biome-ignore lint/suspicious/noExplicitAny: it differs from tool to tool
  readonly structured: any;
  readonly isError: boolean;
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

export const modern = '2026-07-28';

/** The metadata of a request of the stateless revision. */
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Requests as clients of both eras send them. @param key of an API, or a token */
export function mcpClient(fetch: Fetch, key: string, path = '/mcp') {
  const post = async (body: string, headers: Record<string, string> = {}): Promise<McpAnswer> => {
    const response = await fetch(path, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      message: text === '' ? undefined : JSON.parse(text),
    };
  };
  const legacy = (method: string, params: object = {}) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }), { 'mcp-protocol-version': '2025-11-25' });
  const stateless = (method: string, params: Readonly<Record<string, unknown>> = {}) => {
    const name = params.name ?? params.uri;
    return post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: modernMeta } }), {
      'mcp-protocol-version': modern,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    });
  };
  const call = async (name: string, given: object = {}): Promise<ToolResult> => {
    const { message } = await stateless('tools/call', { name, arguments: given });
    if (message.result === undefined) throw new Error(JSON.stringify(message));
    const { content, structuredContent, isError = false } = message.result;
    return { text: content[0].text, content, structured: structuredContent, isError };
  };
  return { post, legacy, stateless, call };
}

export type McpClient = ReturnType<typeof mcpClient>;
