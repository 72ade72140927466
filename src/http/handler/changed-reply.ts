import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { isObject } from '../../config/option-rules.ts';
import { memoize } from '../../memoize.ts';
import type { Exchange } from '../message/exchange.ts';
import type { Reply } from '../message/reply.ts';
import { discardStream, StreamBody } from '../message/stream/stream-body.ts';
import { checkedFields } from '../message/log-fields.ts';
import type { RequestHooks } from '../message/request-hooks.ts';

/**
 * The reply as the plug-ins change it.
 *
 * @throws GatewayError as `onReply` does
 */
export function changedReply(onReply: RequestHooks['onReply'], exchange: Exchange, reply: Reply): Reply {
  let current = reply;
  // It may be sent to others too.
  Object.freeze(reply.headers);
  Object.freeze(reply);
  try {
    for (const hook of onReply) current = hook(exchange, current);
    // A stream that is not sent gives its places back.
    if (current.body !== reply.body && reply.body instanceof StreamBody) reply.body.discard();
    return current;
  } catch (error) {
    discardBody(reply);
    if (current.body !== reply.body) discardBody(current);
    throw error;
  }
}

function discardBody(reply: Reply | undefined): void {
  const body = reply?.body;
  if (body instanceof Readable) discardStream(body);
  else if (body instanceof StreamBody) body.discard();
}

/**
 * A reply that a plug-in has made of another one, as it can be sent: names of headers in lower case, and the length of the body.
 *
 * @throws TypeError for a name or a value that a header must not have, and for what is not a reply of HTTP
 */
export function sendableReply(made: Reply, previous: Reply): Reply {
  try {
    return withoutOtherBody(made, withSafeHeaders(requireReply(made, 'onReply'), previous));
  } catch (error) {
    // The reply before is sent instead.
    if (made?.body !== previous.body) discardBody(made);
    throw error;
  }
}

function withSafeHeaders(reply: Reply, { headers: checked, body: before, logFields }: Reply): Reply {
  if (reply.headers === checked && reply.body === before && reply.logFields === logFields) return reply;
  if (reply.body !== before) return withFields(withLength(reply), logFields);
  return withFields(
    withContentLength(withCheckedHeaders(reply), hasBody(reply) ? checked['content-length'] : undefined),
    logFields,
  );
}

/** The reply as it is sent, once it is known that it can be: a body that its status does not have is ended. */
function withoutOtherBody(made: Reply, sent: Reply): Reply {
  if (sent.body !== made.body) discardBody(made);
  return sent;
}

/** The same reply; without its body if the status has none. @throws TypeError if it is not one that can be sent */
function requireReply(reply: Reply, hook: string): Reply {
  if (!isObject(reply) || !isObject(reply.headers)) throw new TypeError(`${hook} must return a reply`);
  const { status, body } = reply;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`${hook} must return a reply with a status from 200 to 599, got ${status}`);
  if (body === undefined) return reply;
  const isBytes = typeof body === 'string' || body instanceof Uint8Array;
  if (!isBytes && !(body instanceof Readable) && !(body instanceof StreamBody))
    throw new TypeError(
      `${hook} must return a reply with a body of text, bytes or a stream of Node, or undefined`,
    );
  return hasBody(reply) ? reply : { ...reply, body: undefined };
}

const hasBody = ({ status }: Reply): boolean => status !== 204 && status !== 304;

/** Another length than that of the body would make a client take the next response for a part of it. */
function withContentLength(reply: Reply, length: string | undefined): Reply {
  const { 'content-length': given, ...others } = reply.headers;
  if (given === length) return reply;
  return { ...reply, headers: length === undefined ? others : { ...others, 'content-length': length } };
}

/** They are those of the request: a plug-in may give the same reply to several. */
const withFields = (reply: Reply, logFields: Reply['logFields']): Reply =>
  logFields === undefined ? reply : { ...reply, logFields };

/** A plug-in that gives the same object again is spared the checks, unless it has changed it. */
function checkedOnce(check: (reply: Reply) => Reply): (reply: Reply) => Reply {
  const known = new WeakMap<Reply, { readonly given: Reply; readonly made: Reply }>();
  return (reply) => {
    const { status, headers, body, recycle, onSent, madeOf } = reply;
    const given = { status, headers: { ...headers }, body, recycle, onSent, madeOf };
    const before = known.get(reply);
    if (before !== undefined && isSame(before.given, given)) return before.made;
    const made = check(given);
    known.set(reply, { given, made });
    return made;
  };
}

const isSame = ({ headers: a, ...one }: Reply, { headers: b, ...other }: Reply): boolean =>
  hasSameValues(one, other) && hasSameValues(a, b);

function hasSameValues(a: object, b: object): boolean {
  const [entries, others] = [Object.entries(a), Object.entries(b)];
  return (
    entries.length === others.length &&
    entries.every(([name, value], at) => name === others[at]?.[0] && value === others[at]?.[1])
  );
}

const withCheckedHeaders = checkedOnce((reply) => ({ ...reply, headers: checkedHeaders(reply.headers) }));

const withLength = checkedOnce((reply) =>
  withContentLength({ ...reply, headers: checkedHeaders(reply.headers) }, lengthOf(reply)),
);

const lengthOf = ({ body }: Reply): string | undefined =>
  typeof body === 'string' || body instanceof Uint8Array ? String(Buffer.byteLength(body)) : undefined;

/**
 * The reply of a plug-in's route, as it can be sent. Frozen headers are checked once for all replies that have them.
 *
 * @throws TypeError as `sendableReply` does, and for fields of the log without JSON
 */
export function checkedReply(given: Reply, method?: string): Reply {
  try {
    const reply = requireReply(given, 'answer');
    const { headers, body } = reply;
    const logFields = fieldsToLog(reply.logFields);
    const checked = Object.isFrozen(headers)
      ? { ...reply, headers: frozenHeaders(headers), logFields }
      : withFields(withCheckedHeaders(reply), logFields);
    const length = checked.headers['content-length'];
    if (length === undefined) return withoutOtherBody(given, checked);
    // Only HEAD may have the length of a body that is not there.
    const ofOther = hasBody(reply) && (method === 'HEAD' || body !== undefined) ? length : undefined;
    return withoutOtherBody(given, withContentLength(checked, lengthOf(reply) ?? ofOther));
  } catch (error) {
    discardBody(given);
    throw error;
  }
}

const fieldsToLog = (given: Reply['logFields']): Reply['logFields'] =>
  given === undefined ? undefined : checkedFields(given);

/** The gateway sets them as the connection requires it; a plug-in may only close it. */
const ofConnection = /^(?:connection|keep-alive|trailer|transfer-encoding)$/i;

function checkedHeaders(given: Reply['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (ofConnection.test(name) && !/^connection: *close *$/i.test(`${name}: ${value}`)) continue;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    headers[name.toLowerCase()] = String(value);
  }
  return headers;
}

const frozenHeaders = memoize(checkedHeaders);
