import type { Logger } from 'pino';
import { errorToLog } from '../engine/without-values.ts';
import { GatewayError } from '../errors.ts';

/** A response before `finish` completes it. Header names are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
}

/** A response that is ready to be sent. */
export interface FinishedReply extends Omit<Reply, 'headers'> {
  /** Names and values in turn, the form in which Node writes headers fastest. */
  readonly rawHeaders: readonly string[];
  /** The key of the request, whose share of the memory for unread responses it takes. */
  readonly keyId: string | undefined;
}

export const jsonType = 'application/json; charset=utf-8';

/** A JSON text that no cache may store. */
export function replyJson(status: number, text: string, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: {
      'content-type': jsonType,
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
      ...headers,
    },
    body: text,
  };
}

/** The one body shape of an error: `{"error":{"code","message"}}`, with the name of the parameter that is wrong. */
export function replyError(error: unknown, log: Logger): Reply {
  const gatewayError = toGatewayError(error, log);
  const { code, message, parameter, status } = gatewayError;
  const text = JSON.stringify({ error: { code, message, parameter } });
  return replyJson(status, text, retryHeaders(gatewayError));
}

/** When to try again, if that is known (RFC 9110, Retry-After). */
export function retryHeaders({ retryAfterSeconds }: GatewayError): Reply['headers'] {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
}

/** The error that the caller may see; what only operators may know is logged here, once. */
export function toGatewayError(error: unknown, log: Logger): GatewayError {
  if (!(error instanceof GatewayError)) {
    log.error({ err: errorToLog(error, log) }, 'a bug in the gateway');
    return new GatewayError('INTERNAL', 'Internal error');
  }
  const { code, cause, message, status } = error;
  if (status >= 500) log.warn({ code, err: errorToLog(cause, log) }, message);
  return error;
}
