import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { RequestTrace } from '../trace/span.ts';
import { idsOf } from './observe/request-trace.ts';

/** One answered request. Paths and key ids are known ones; of the caller's text it has only the request id,
 * whose characters are checked. */
export interface AccessLogEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The id of the key; undefined if the request had no valid one. */
  readonly keyId: string | undefined;
  readonly trace: RequestTrace | undefined;
}

/** Writes one line for each request. */
export type AccessLog = (entry: AccessLogEntry) => void;

/**
 * @param write takes whole lines of the log, if they are JSON. They are then put together here: the logger, which can
 * write any object, would take as long as the rest of a cached reply.
 */
export function buildAccessLog(log: Logger, write?: (line: string) => void): AccessLog {
  if (write === undefined || !log.isLevelEnabled('info')) {
    return ({ keyId: key, trace, ...entry }) =>
      log.info({ ...entry, key, ...(trace && idsOf(trace)) }, 'request');
  }
  const bindings = JSON.stringify({ pid: process.pid, hostname: hostname() }).slice(1, -1);
  return ({ method, path, status, ms, keyId, trace }) => {
    // The id has no characters that JSON escapes.
    const id = trace === undefined ? '' : `,"requestId":"${trace.requestId}"`;
    const traceId = trace?.span === undefined ? '' : `,"traceId":"${trace.span.traceId}"`;
    const key = keyId === undefined ? '' : `,"key":"${keyId}"`;
    write(
      `{"level":30,"time":${Date.now()},${bindings},"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key}${id}${traceId},"msg":"request"}\n`,
    );
  };
}
