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
  return withFields(reply.body === before ? withCheckedHeaders(reply) : withLength(reply), logFields);
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

const withLength = checkedOnce((reply) => {
  const { body } = reply;
  const headers = checkedHeaders(reply.headers);
  delete headers['content-length'];
  if (typeof body === 'string' || body instanceof Uint8Array)
    headers['content-length'] = String(Buffer.byteLength(body));
  return { ...reply, headers };
});

/**
 * The reply of a plug-in's route, as it can be sent. Frozen headers are checked once for all replies that have them.
 *
 * @throws TypeError as `sendableReply` does, and for fields of the log without JSON
 */
export function checkedReply(reply: Reply): Reply {
  const { headers, logFields } = reply;
  if (!Object.isFrozen(headers)) return withFields(withCheckedHeaders(reply), fieldsToLog(logFields));
  return { ...reply, headers: frozenHeaders(headers), logFields: fieldsToLog(logFields) };
}

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

const frozenHeaders = memoize(checkedHeaders);
