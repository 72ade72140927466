import type { Owner } from '../../concurrency/fair-share.ts';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { errorToLog } from '../../engine-contract/without-values.ts';
import { GatewayError, GivenCodeError, type Refusal } from '../../errors.ts';
import { tokenProblems } from '../../keys/jwt/token-shape.ts';
import type { Encodings } from '../../results/encodings.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { LogFields } from './log-fields.ts';
import type { StreamBody } from './stream/stream-body.ts';

/** A response before `finish` completes it. Header names are in lower case. */
export interface Reply {
  /** Of HTTP, as in 200. */
  readonly status: number;
  /** Values by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined for none. A stream is made while it is read, and must be destroyed if it is not. */
  readonly body: Uint8Array | string | Readable | StreamBody | undefined;
  /**
   * Called once, when nothing will read the body any more: its memory is used for another one. Only a body that no other
   * reply has comes with it, and it may be left out.
   */
  readonly recycle?: (() => void) | undefined;
  /** Further fields of the line `request` of the log. A frozen object is checked once. */
  readonly logFields?: LogFields | undefined;
  /** Called when a body that is a stream has ended, with the bytes that were sent of it. */
  readonly onSent?: ((bytes: number) => void) | undefined;
  /** Set by routes with `isKept` if an equal request may get the reply again while the request's results are current. */
  readonly madeOf?: MadeOf | undefined;
}

/** The content of a kept reply. It depends on the results of its request, and on nothing else that changes. */
export interface MadeOf {
  /** The whole body, in the codings that there are. */
  readonly encodings: Encodings;
  /**
   * The headers that change while results get older; left out if none does.
   *
   * @param results of the request as a later one gets them, in the order in which it has got them
   */
  readonly headersAt?: ((results: readonly CachedResult[]) => Reply['headers']) | undefined;
  /** The body is sent as it is to all: it was compressed when it was written. */
  readonly isPacked?: boolean | undefined;
  /** To make it again takes much longer than to keep it: it is kept from its first time on. */
  readonly isCostly?: true | undefined;
}

/** Headers of a response, checked and put together once: most replies are sent again. */
export class SentHeaders {
  readonly #headers: Reply['headers'];
  readonly #base: SentHeaders | undefined;
  #raw: readonly string[] | undefined;
  /** All but those of `rawForNode` as they go over the wire. */
  readonly lines: string;
  /** `content-length` and `connection`, names and values in turn: Node's server must know them. */
  readonly rawForNode: readonly string[];

  /**
   * @param base further headers, which are sent first
   * @throws TypeError for a name or a value that a header must not have, as Node's server does
   */
  constructor(headers: Reply['headers'], base?: SentHeaders) {
    this.#headers = headers;
    this.#base = base;
    this.lines = (base?.lines ?? '') + joinLines(headers);
    const { 'content-length': length, connection } = headers;
    this.rawForNode = base?.rawForNode ?? [
      ...(length === undefined ? [] : ['content-length', length]),
      ...(connection === undefined ? [] : ['connection', connection]),
    ];
  }

  /** All with the id of a request, names and values in turn. */
  raw(requestId?: string): string[] {
    this.#raw ??= [...(this.#base?.raw() ?? []), ...Object.entries(this.#headers).flat()];
    return requestId === undefined ? [...this.#raw] : [...this.#raw, requestIdName, requestId];
  }
}

export const requestIdName = 'x-request-id';

/** Of parameters that are probably mistakes: a sentence for each, with `; ` between them. */
export const warningName = 'querygate-warning';

/** A sentence of it: headers are ASCII, and a semicolon begins the next sentence. */
export const warningText = (text: string): string =>
  text
    .replaceAll('…', '...')
    .replace(/[^ -:<-~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const ofNode: ReadonlySet<string> = new Set(['content-length', 'connection']);

/** One piece of text: V8 keeps a sum of texts as its pieces, and each response would copy them one by one. */
function joinLines(headers: Reply['headers']): string {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (ofNode.has(name)) continue;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines.push(`${name}: ${value}\r\n`);
  }
  return lines.join('');
}

/** A response that is ready to be sent. */
export interface FinishedReply extends Omit<Reply, 'headers'> {
  /** All but the id of the request. */
  readonly headers: SentHeaders;
  /** Of characters that need no check. */
  readonly requestId?: string | undefined;
  /** Whose share of the memory for unread responses it takes. */
  readonly owner: Owner;
}

/** The media type of JSON replies. */
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
  return replyJson(gatewayError.status, problemText(gatewayError), errorHeaders(gatewayError));
}

/** The parts of an error that a caller may know, as JSON. */
export const problemText = ({ code, message, parameter }: GatewayError): string =>
  JSON.stringify({ error: { code, message, parameter } });

/** When to try again, if that is known (RFC 9110, Retry-After), and what is wrong with a token. */
export function errorHeaders(error: GatewayError): Reply['headers'] {
  const { retryAfterSeconds } = error;
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    ...challengeHeaders(error),
  };
}

const shownProblems: ReadonlySet<string> = new Set(Object.values(tokenProblems));

/** A token's problem as its caller may see it: times, which are read of signed tokens only. The log has the rest. */
export const shownTokenProblem = ({ problem }: Refusal): string | undefined => {
  if (problem === undefined) return undefined;
  return shownProblems.has(problem) ? problem : 'the token is not valid';
};

/** The challenge for a wrong token; other requests without a key get one without an error. @see RFC 6750, 3.1 */
function challengeHeaders({ code, refusal }: GatewayError): Readonly<Record<string, string>> {
  const problem =
    code === 'UNAUTHENTICATED' && refusal !== undefined ? shownTokenProblem(refusal) : undefined;
  if (problem === undefined) return {};
  return {
    'www-authenticate': `Bearer realm="querygate", error="invalid_token", error_description="${problem}"`,
  };
}

/** Logs an error that is not for callers, as that of the code which has thrown it. */
export function logUnexpected(error: unknown, log: Logger): void {
  if (error instanceof GivenCodeError)
    log.error({ ...error.facts, err: errorToLog(error.cause, log) }, error.message);
  else log.error({ err: errorToLog(error, log) }, 'a bug in the gateway');
}

/** The error that the caller may see; what only operators may know is logged here, once. */
export function toGatewayError(error: unknown, log: Logger): GatewayError {
  if (!(error instanceof GatewayError)) {
    logUnexpected(error, log);
    return new GatewayError('INTERNAL', 'Internal error');
  }
  const { code, cause, message, status } = error;
  // The caller has to change it.
  const isOfCaller = status < 500 || code === 'NOT_IMPLEMENTED';
  if (!isOfCaller) log.warn({ code, err: errorToLog(cause, log) }, message);
  return error;
}
