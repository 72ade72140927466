import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { rawReply, refusalOf } from './client-errors.ts';
import { type Connections, trackConnections } from './connections.ts';
import { serverLimits } from './server-limits.ts';
import { cutSlowReaders } from './slow-readers.ts';

/** A server of Node's that answers whatever comes, bytes that are no request too, in the one body shape. */
export function openServer(
  listener: RequestListener,
  log: Logger,
): { readonly server: Server; readonly connections: Connections } {
  const server = createServer({
    headersTimeout: serverLimits.headersMs,
    requestTimeout: serverLimits.requestMs,
    connectionsCheckingInterval: serverLimits.checkEveryMs,
    keepAliveTimeout: serverLimits.keepAliveMs,
    // Node would refuse without a body; the doors refuse with one.
    requireHostHeader: false,
  });
  server.maxConnections = serverLimits.connections;
  const connections = trackConnections(server);
  server.on('request', listener);
  // An expectation that nobody knows may be left unmet (RFC 9110, 10.1.1); Node would answer without a body.
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Bytes of a second answer in the middle of a first one would be taken for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || isBegun(connections, socket)) {
      return void socket.destroy();
    }
    refuse(socket, refusalOf(error), log);
  });
  server.on('connect', (_, socket: Socket) => {
    refuse(socket, new GatewayError('METHOD_NOT_ALLOWED', 'CONNECT is not allowed here; use GET'), log);
  });
  cutSlowReaders(server, connections, serverLimits.slowReaderMs);
  return { server, connections };
}

/** True in the middle of an answer, or behind the answer to a request whose body still comes. */
function isBegun(connections: Connections, socket: Socket): boolean {
  const { waiting, last } = connections.get(socket) ?? {};
  const [first] = waiting ?? [];
  return first?.headersSent === true || (last?.headersSent === true && !last.req.complete);
}

function refuse(socket: Socket, error: GatewayError, log: Logger): void {
  log.debug({ status: error.status }, 'bytes refused');
  // It has sent what is no request: what it sends further is none of ours, and it may not read either.
  socket.on('error', () => socket.destroy());
  socket.end(rawReply(error, log), () => socket.destroy());
}
