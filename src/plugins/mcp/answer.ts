import { LRUCache } from 'lru-cache';
import type { RouteHost } from '../../gateway/plugin.ts';
import { isLoopback } from '../../config/loopback.ts';
import { GatewayError } from '../../errors.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { BodyMemory } from '../../http/message/body/body-memory.ts';
import { requireBodyType } from '../../http/message/body/body-type.ts';
import type { RequestHead } from '../../http/message/head.ts';
import { type Reply, replyJson, errorHeaders } from '../../http/message/reply.ts';
import type { Answer } from '../../http/message/route.ts';
import { memoize } from '../../memoize.ts';
import type { CallRequest } from './calls/call-request.ts';
import type { MethodResult } from './methods.ts';
import { type OauthOptions, withChallenge } from './oauth/protected-resource.ts';
import { eraOf } from './protocol/era.ts';
import { buildParseMessage, type Message, type RequestId } from './protocol/message.ts';
import { ProtocolError } from './protocol/protocol-error.ts';
import { originOf } from './rows/recipe.ts';

export interface AnswerOptions extends Pick<RouteHost, 'shown' | 'basePath'> {
  readonly call: (message: Message, request: CallRequest) => MethodResult | Promise<MethodResult>;
  /** Web origins whose pages may call; `*` means any. Pages on this machine may call a gateway on it. */
  readonly origins: readonly string[] | '*';
  readonly oauth: OauthOptions | undefined;
}

/** Answers `POST /mcp`: each request has one JSON-RPC message, and each answer is one JSON text. */
export function buildAnswer({ call, shown, basePath, origins, oauth }: AnswerOptions): Answer {
  /** Of a URL, which is kept for equal requests. */
  const originsOf = memoize((url: URL) => {
    const [plain, secure] = [undefined, 'https'].map((protocol) => originOf(url, protocol, basePath));
    return (forwarded: string | undefined) => (forwarded === 'https' ? secure : plain);
  });
  const replyTo = (message: Message, request: CallRequest): Reply | Promise<Reply> => {
    const { id = 0 } = message;
    const fail = (error: unknown): Reply => {
      if (error instanceof GatewayError && error.code === 'CANCELLED') throw error;
      if (error instanceof ProtocolError) {
        const reply = replyProtocolError(error, id);
        return oauth === undefined ? reply : withChallenge(reply, oauth);
      }
      const { message, code } = shown(error, request.head);
      return replyProtocolError(new ProtocolError('internalError', message, { data: { code } }), id);
    };
    try {
      const result = call(message, request);
      return result instanceof Promise
        ? result.then((later) => replyResult(id, later)).catch(fail)
        : replyResult(id, result);
    } catch (error) {
      return fail(error);
    }
  };
  const parseMessage = buildParseMessage();
  return (head, { url }, admission, readBody) => {
    requireOrigin(head, url, origins);
    requireBodyType(head.headers, messageTypes);
    return readBody().then((bytes) => {
      let message: Message | undefined;
      try {
        message = parseMessage(bytes);
        const era = eraOf(message, head.headers);
        if (message.id === undefined) return accepted;
        const origin = originsOf(url)(head.headers['x-forwarded-proto']);
        return replyTo(message, { head, admission, era, origin });
      } catch (error) {
        if (error instanceof ProtocolError) return replyProtocolError(error, message?.id);
        throw error;
      }
    });
  };
}

/** To a message that expects no answer. */
const accepted: Reply = {
  status: 202,
  headers: { 'content-length': '0', 'cache-control': 'no-store' },
  body: undefined,
};

/** A page of another site could reach a gateway that only this machine can. @throws GatewayError FORBIDDEN */
function requireOrigin({ headers }: RequestHead, url: URL, origins: readonly string[] | '*'): void {
  const { origin } = headers;
  if (origin === undefined || origins === '*' || origins.includes(origin)) return;
  const hostname = URL.parse(origin)?.hostname;
  if (hostname !== undefined && isLoopback(hostname) && isLoopback(url.hostname)) return;
  throw new GatewayError(
    'FORBIDDEN',
    `Pages of ${JSON.stringify(origin.slice(0, 100))} may not call this server; its operator can allow them as origins of CORS`,
  );
}

/** Browsers send other types to any site without asking it. */
const messageTypes = ['application/json'];

const bodyMemory = new BodyMemory();

function replyResult(id: RequestId, result: MethodResult): Reply {
  const start = `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":`;
  if (typeof result === 'string') return replyJson(200, `${start}${result}}`);
  const { bytes, facts } = result;
  const startLength = Buffer.byteLength(start);
  const byteLength = startLength + bytes.byteLength + 1;
  const memory = bodyMemory.take(byteLength);
  memory.write(start);
  bytes.copy(memory, startLength);
  memory.write('}', byteLength - 1);
  return {
    status: 200,
    headers: resultHeaders(byteLength),
    body: memory.subarray(0, byteLength),
    logFields: facts,
    recycle: () => bodyMemory.giveBack(memory),
  };
}

/** Answers of equal length have the same. */
const keptHeaders = new LRUCache<number, Reply['headers']>({ max: 1_000 });

const resultHeaders = (byteLength: number): Reply['headers'] =>
  getOrAdd<number, Reply['headers']>(keptHeaders, byteLength, () =>
    Object.freeze({
      'content-type': 'application/json',
      'content-length': String(byteLength),
      'cache-control': 'no-store',
    }),
  );

function replyProtocolError(
  { code, message, data, status }: ProtocolError,
  id: RequestId | undefined,
): Reply {
  return replyJson(status, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
}

/** Refuses a request before its message was read. The code is that of HTTP: JSON-RPC has none for it. */
export function replyRefusal(refused: GatewayError): Reply {
  const { status, code, message } = refused;
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code: status, message, data: { code } } });
  return replyJson(status, text, errorHeaders(refused));
}
