import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { addressTexts, parseAddressList } from '../../config/address-list.ts';
import { checkOptions, optionRule, required } from '../../config/option-rules.ts';
import { GatewayError, StartError } from '../../errors.ts';
import { clientAddress } from '../message/client-address.ts';
import { httpLimits } from '../message/http-limits.ts';
import {
  describeClientError,
  formatRawReply,
  type RejectedRequest,
  rejectedRequest,
} from './client-errors.ts';
import { type Connections, trackConnections } from './connections.ts';
import { limitKeylessConnections } from './keyless-connections.ts';
import { MessageInTurns } from './message-in-turns.ts';
import { corsOf } from './node-listener.ts';
import { PreparedResponse, sendsPreparedLines } from './prepared-response.ts';
import { closeSlowReaders } from './slow-readers.ts';

/** How a server treats connections. */
export interface ServerOptions {
  /** A logger of pino: it receives malformed requests and slow readers. */
  readonly log: Logger;
  /** As in `GatewayOptions`. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/**
 * A Node server, which listens to no port yet, with the limits that `querygate start` has: on connections, on the time of a
 * request, on slow readers. Malformed requests, too, get a reply in the usual error shape.
 *
 * @throws StartError with every wrong option
 */
export function openServer(
  listener: RequestListener,
  options: ServerOptions,
): { readonly server: Server; readonly connections: Connections } {
  const rules = { log: required(optionRule.log), trustedProxies: optionRule.texts };
  checkOptions<ServerOptions>('the server', options, rules);
  const { log, trustedProxies: proxies = [] } = options;
  const trustedProxies = parseAddressList(proxies);
  if (trustedProxies === undefined)
    throw new StartError('The options of the server have problems', [
      { message: `trustedProxies: got ${JSON.stringify(proxies)}; must be ${addressTexts}` },
    ]);
  const corsHeaders = corsOf.get(listener)?.headers;
  const server = createServer({
    IncomingMessage: MessageInTurns,
    ServerResponse: chooseResponse(log),
    maxHeaderSize: httpLimits.maxHeaderBytes,
    headersTimeout: httpLimits.headersTimeoutMs,
    requestTimeout: httpLimits.requestTimeoutMs,
    connectionsCheckingInterval: httpLimits.timeoutCheckIntervalMs,
    keepAliveTimeout: httpLimits.keepAliveTimeoutMs,
    // Node would reject a missing Host without a body; our handler rejects it with one.
    requireHostHeader: false,
    // Most requests are of GET: they emit no events of a body, which take a tenth of a hit's time.
    optimizeEmptyRequests: true,
  });
  server.maxConnections = httpLimits.maxConnections;
  const connections = trackConnections(server, listener);
  limitKeylessConnections(server, connections, { limit: httpLimits.maxKeylessConnections, trustedProxies });
  const reject = (socket: Socket, error: GatewayError, request: RejectedRequest) => {
    // Whatever the client still sends is ignored, and it may not read the reply.
    socket.on('error', () => socket.destroy());
    const address = clientAddress(socket.remoteAddress, request.headers['x-forwarded-for'], trustedProxies);
    const sender = { address, isSilent: socket.bytesRead === 0 };
    socket.end(formatRawReply(error, log, request, sender), () => socket.destroy());
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A second response in the middle of the first would be read as a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || isResponseStarted(connections, socket)) {
      return void socket.destroy();
    }
    const { last } = connections.get(socket) ?? {};
    reject(socket, describeClientError(error), { ...rejectedRequest(error, last?.req), corsHeaders });
  });
  server.on('connect', (_, socket: Socket) => {
    const error = new GatewayError('METHOD_NOT_ALLOWED', 'CONNECT is not allowed here; use GET');
    reject(socket, error, { method: 'CONNECT', target: '', headers: {} });
  });
  closeSlowReaders(server, connections, httpLimits.slowReaderTimeoutMs);
  return { server, connections };
}

/** The class of responses: the one with prepared lines, if this version of Node sends them as they are. */
export function chooseResponse(
  log: Pick<Logger, 'warn'>,
  Prepared: typeof PreparedResponse = PreparedResponse,
): typeof ServerResponse {
  if (sendsPreparedLines(Prepared)) return Prepared;
  log.warn(`Node ${process.version} does not send prepared header lines as they are: responses take longer`);
  return ServerResponse;
}

/** True while a response is being written, or after a response to a request whose body is still arriving. */
function isResponseStarted(connections: Connections, socket: Socket): boolean {
  const { pending, last } = connections.get(socket) ?? {};
  const [first] = pending ?? [];
  return first?.headersSent === true || (last?.headersSent === true && !last.req.complete);
}
