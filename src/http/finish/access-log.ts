import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { memoize } from '../../memoize.ts';
import type { RequestTrace } from '../../trace/span.ts';
import type { LogFields } from '../message/log-fields.ts';
import { idsOf } from '../message/request-trace.ts';

/** One answered request. Paths and key ids are known ones; of the caller's text it has only the request id and the name
 * of an endpoint that does not exist, whose characters are checked. */
interface AccessLogEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The id of the key; undefined if the request had no valid one. */
  readonly keyId: string | undefined;
  /** As `missingNameToLog` gives it. */
  readonly missing: string | undefined;
  /** How many parameters the reply warns of. */
  readonly misspelled: number | undefined;
  readonly trace: RequestTrace | undefined;
  /** Of plug-ins. */
  readonly fields?: readonly LogFields[] | undefined;
}

/** Writes one line for each request. */
export type AccessLog = (entry: AccessLogEntry) => void;

/**
 * @param write takes whole lines of the log, if they are JSON. They are then put together here: the logger, which can
 * write any object, would take as long as the rest of a cached reply.
 * @param isKeyText recognizes a key in the place of a name
 */
export function buildAccessLog(
  log: Logger,
  write: ((line: string) => void) | undefined,
  isKeyText: (text: string) => boolean,
): AccessLog {
  const nameOf = (missing: string | undefined) =>
    missing === undefined || isKeyText(missing) ? undefined : missing;
  if (write === undefined || !log.isLevelEnabled('info')) {
    return ({ keyId: key, trace, missing, fields, ...entry }) => {
      if (!log.isLevelEnabled('info')) return;
      log.info(
        { ...ownFields(fields), ...entry, missing: nameOf(missing), key, ...(trace && idsOf(trace)) },
        'request',
      );
    };
  }
  const bindings = JSON.stringify({ pid: process.pid, hostname: hostname() }).slice(1, -1);
  return ({ method, path, status, ms, keyId, missing, misspelled, trace, fields }) => {
    // The id has no characters that JSON escapes.
    const id = trace === undefined ? '' : `,"requestId":"${trace.requestId}"`;
    const traceId = trace?.span === undefined ? '' : `,"traceId":"${trace.span.traceId}"`;
    const key = keyId === undefined ? '' : `,"key":"${keyId}"`;
    const name = missing === undefined ? undefined : nameOf(missing);
    const missed = name === undefined ? '' : `,"missing":"${name}"`;
    const warned = misspelled === undefined ? '' : `,"misspelled":${misspelled}`;
    const [only, ...others] = fields ?? [];
    const added = only === undefined ? '' : others.length === 0 ? textOfFields(only) : textOf(fields);
    try {
      write(
        `{"level":30,"time":${Date.now()},${bindings},"method":"${method}","path":"${path}","status":${status},"ms":${ms}${missed}${warned}${key}${id}${traceId}${added && `,${added}`},"msg":"request"}\n`,
      );
    } catch (err) {
      log.error({ err }, 'the line of a request cannot be written');
    }
  };
}

/** Names of the line itself. */
const reserved: ReadonlySet<string> = new Set(
  'level,time,pid,hostname,method,path,status,ms,missing,misspelled,key,requestId,traceId,msg'.split(','),
);

const textOf = (fields: readonly LogFields[] | undefined): string =>
  JSON.stringify(ownFields(fields)).slice(1, -1);

/** A plug-in may give the same fields again. */
const textOfFields = memoize((fields: LogFields) => textOf([fields]));

const ownFields = (fields: readonly LogFields[] = []): LogFields =>
  Object.fromEntries(fields.flatMap((some) => Object.entries(some)).filter(([name]) => !reserved.has(name)));
