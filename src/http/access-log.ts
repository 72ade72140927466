import { hostname } from 'node:os';
import type { Logger } from 'pino';

/** One answered request. Nothing in it is text of the caller's: paths and key ids are known ones. */
export interface AccessLogEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The id of the key; undefined if the request had no valid one. */
  readonly keyId: string | undefined;
}

/** Writes one line for each request. */
export type AccessLog = (entry: AccessLogEntry) => void;

/**
 * @param write takes whole lines of the log, if they are JSON. They are then put together here: the logger, which can
 * write any object, would take as long as the rest of a cached reply.
 */
export function buildAccessLog(log: Logger, write?: (line: string) => void): AccessLog {
  if (write === undefined || !log.isLevelEnabled('info')) {
    return ({ keyId: key, ...entry }) => log.info({ ...entry, key }, 'request');
  }
  const bindings = JSON.stringify({ pid: process.pid, hostname: hostname() }).slice(1, -1);
  return ({ method, path, status, ms, keyId }) => {
    const key = keyId === undefined ? '' : `,"key":"${keyId}"`;
    write(
      `{"level":30,"time":${Date.now()},${bindings},"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key},"msg":"request"}\n`,
    );
  };
}
