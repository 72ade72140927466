import { linesOf } from '@querygate/text';
import { namedMembers } from '../../plugins/mcp/protocol/era.ts';

/** Sends one message to `POST /mcp`. Its signal is aborted when the client no longer wants the answer. */
export type SendMessage = (
  text: string,
  headers: Record<string, string>,
  signal: AbortSignal,
) => Promise<Pick<Response, 'status' | 'text'>>;

interface BridgeOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: Pick<NodeJS.WritableStream, 'write'>;
  readonly send: SendMessage;
}

/** As far as a message says what its headers must repeat. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly requestId?: string | number;
    readonly _meta?: Readonly<Record<string, unknown>> | null;
    readonly [other: string]: unknown;
  } | null;
}

/**
 * The Model Context Protocol over standard input and output, in front of a gateway: each line is a message, and becomes a
 * request. Answers come as they are ready.
 *
 * @returns resolves when the input has ended and all has been answered
 */
export async function bridgeStdio({ input, output, send }: BridgeOptions): Promise<void> {
  const running = new Map<string | number, AbortController>();
  const answering = new Set<Promise<void>>();
  const write = (text: string) => void output.write(`${text}\n`);

  const answer = async (line: string): Promise<void> => {
    const message = parse(line);
    if (message === undefined) return write(errorText(undefined, -32700, 'The line is not a JSON object'));
    const { id, method, params } = message;
    if (method === 'notifications/cancelled') {
      running.get(params?.requestId ?? '')?.abort();
      return undefined;
    }
    const abort = new AbortController();
    if (id !== undefined) running.set(id, abort);
    try {
      const response = await send(line, headersOf(message), abort.signal);
      const text = await response.text();
      if (id === undefined) return undefined;
      write(answerText(text, id) ?? errorText(id, response.status, refusalText(response.status)));
    } catch (error) {
      // A request that was cancelled gets no answer.
      if (id !== undefined && !abort.signal.aborted)
        write(errorText(id, -32603, `The gateway cannot be reached: ${reasonOf(error)}`));
    } finally {
      if (id !== undefined) running.delete(id);
    }
  };
  input.setEncoding('utf8');
  for await (const read of linesOf(input)) {
    // The first one may begin with a byte-order mark.
    const line = read.replace(/^\uFEFF/, '');
    if (line.trim() === '') continue;
    const answered: Promise<void> = answer(line).finally(() => answering.delete(answered));
    answering.add(answered);
  }
  await Promise.all(answering);
}

function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The gateway compares them with the message: over HTTP they are for what is on the way. */
function headersOf({ method = '', params }: Message): Record<string, string> {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof version !== 'string') return {};
  const name = params?.[namedMembers[method] ?? ''];
  return {
    'mcp-protocol-version': headerText(version),
    'mcp-method': headerText(method),
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  };
}

/** As the protocol writes what a header cannot have. */
const headerText = (text: string): string =>
  /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** One line. A refusal does not know the id of the message. */
function answerText(text: string, id: string | number): string | undefined {
  const answer = parse(text) as { readonly id?: unknown; readonly jsonrpc?: unknown } | undefined;
  if (answer?.jsonrpc !== '2.0') return undefined;
  return answer.id === undefined ? JSON.stringify({ ...answer, id }) : text.replaceAll(/[\r\n]+/g, ' ');
}

const errorText = (id: string | number | undefined, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

const refusalText = (status: number): string =>
  `The gateway has answered ${status}${status === 404 ? ', as one does whose agents are off: it needs MCP=on' : ''}`;

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
