import type { Logger } from 'pino';
import type { Answer } from '../answer/answer.ts';
import { GatewayError } from '../errors.ts';

/** `{"result":[…]}` and nothing else, as existing clients read it. */
export function respondAnswer(answer: Answer): Response {
  return respondJson(200, `{"result":${answer.json}}`);
}

/** The one body shape of a refusal: `{"error":{"code","message"}}`, with the parameter's name where one is wrong. */
export function respondError(error: unknown, log: Logger): Response {
  const told = toGatewayError(error, log);
  const { code, message, parameter, status } = told;
  return respondJson(status, JSON.stringify({ error: { code, message, parameter } }), retryHeaders(told));
}

/** Tells a caller when to ask again, where we know it (RFC 9110, Retry-After). */
export function retryHeaders({ retryAfterSeconds }: GatewayError): Readonly<Record<string, string>> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
}

/** Any other JSON text. */
export function respondJson(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      ...explained[status],
      ...headers,
    },
  });
}

/** What a status owes the caller besides its body (RFC 9110). */
const explained: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer realm="querygate"' },
  405: { allow: 'GET, HEAD, OPTIONS' },
};

/** What the caller is told; what only we may know is logged here, once. */
export function toGatewayError(error: unknown, log: Logger): GatewayError {
  if (!(error instanceof GatewayError)) {
    log.error({ err: error }, 'a bug in the gateway');
    return new GatewayError('INTERNAL', 'Internal error');
  }
  if (error.status >= 500) log.warn({ code: error.code, err: error.cause }, error.message);
  return error;
}
