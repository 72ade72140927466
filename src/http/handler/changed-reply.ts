import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { memoize } from '../../memoize.ts';
import type { Exchange } from '../message/exchange.ts';
import type { Reply } from '../message/reply.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { checkedFields } from '../message/log-fields.ts';
import type { RequestHooks } from '../message/request-hooks.ts';

/**
 * The reply as the plug-ins change it.
 *
 * @throws GatewayError as `onReply` does
 */
export function changedReply(onReply: RequestHooks['onReply'], exchange: Exchange, reply: Reply): Reply {
  let current = reply;
  try {
    for (const hook of onReply) current = hook(exchange, current);
    // A stream that is not sent gives its places back.
    if (current.body !== reply.body && reply.body instanceof StreamBody) reply.body.discard();
    return current;
  } catch (error) {
    if (reply.body instanceof Readable) reply.body.destroy();
    else if (reply.body instanceof StreamBody) reply.body.discard();
    throw error;
  }
}

/**
 * A reply that a plug-in has made of another one, as it can be sent: names of headers in lower case, and the length of the body.
 *
 * @throws TypeError for a name or a value that a header must not have
 */
export function sendableReply(reply: Reply, { headers: checked, body: before, logFields }: Reply): Reply {
  if (reply.headers === checked && reply.body === before && reply.logFields === logFields) return reply;
  const known = sendable.get(reply);
  if (known !== undefined) return withFields(known, logFields);
  const headers = checkedHeaders(reply.headers);
  const { body } = reply;
  if (body !== before) delete headers['content-length'];
  if (body !== before && (typeof body === 'string' || body instanceof Uint8Array))
    headers['content-length'] = String(Buffer.byteLength(body));
  const { status, recycle, onSent } = reply;
  const made = { status, headers, body, recycle, onSent };
  sendable.set(reply, made);
  return withFields(made, logFields);
}

/** They are those of the request: a plug-in may give the same reply to several. */
const withFields = (reply: Reply, logFields: Reply['logFields']): Reply =>
  logFields === undefined ? reply : { ...reply, logFields };

/** A plug-in that gives the same object again is spared the checks. */
const sendable = new WeakMap<Reply, Reply>();

/**
 * The reply of a plug-in's route, as it can be sent. Frozen headers are checked once for all replies that have them.
 *
 * @throws TypeError as `sendableReply` does, and for fields of the log without JSON
 */
export function checkedReply(reply: Reply): Reply {
  const { headers, logFields } = reply;
  if (!Object.isFrozen(headers)) return checkedCopy(reply);
  return { ...reply, headers: checkedOnce(headers), logFields: fieldsToLog(logFields) };
}

const checkedCopy = memoize((reply: Reply): Reply => {
  const { headers, logFields } = reply;
  return { ...reply, headers: checkedHeaders(headers), logFields: fieldsToLog(logFields) };
});

const fieldsToLog = (given: Reply['logFields']): Reply['logFields'] =>
  given === undefined ? undefined : checkedFields(given);

function checkedHeaders(given: Reply['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    headers[name.toLowerCase()] = String(value);
  }
  return headers;
}

const checkedOnce = memoize(checkedHeaders);
