import { isUtf8 } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { ProtocolError } from './protocol-error.ts';

/** A JSON object of a caller: nothing is known of its members. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** Of a request; the answer repeats it. */
export type RequestId = string | number;

/** A message from a client. A message without an id expects no answer. */
export interface Message {
  readonly id: RequestId | undefined;
  /** undefined for a response of the client, which is ignored: the server sends no requests. */
  readonly method: string | undefined;
  readonly params: JsonMembers;
}

/** Reads one JSON-RPC message. @throws ProtocolError parseError, invalidRequest */
export type ParseMessage = (bytes: Uint8Array) => Message;

/** How many messages are kept: agents repeat theirs, and clients give each another id. */
const maxMessages = 500;

/** A longer one is hardly sent twice, and would take memory. */
const maxKeptLength = 2_048;

const idName = ',"id":';

/** Messages that differ in their ids only are parsed once, and have the same `params`: what is computed of those can be kept. */
export function buildParseMessage(): ParseMessage {
  const known = new LRUCache<string, Message>({ max: maxMessages });
  return (bytes) => {
    const text = textIn(bytes);
    const at = text.length > maxKeptLength ? -1 : text.lastIndexOf(idName);
    const digits = text.slice(at + idName.length, -1);
    const id = Number(digits);
    // Most clients write the id last.
    const isLast = at >= 0 && text.endsWith('}') && Number.isSafeInteger(id) && String(id) === digits;
    const start = isLast ? text.slice(0, at) : '';
    const same = isLast ? known.get(start) : undefined;
    if (same !== undefined) return { id, method: same.method, params: same.params };
    const message = messageIn(text);
    if (isLast && message.id === id) known.set(start, message);
    return message;
  };
}

function messageIn(text: string): Message {
  const message = objectIn(text);
  const { jsonrpc, id, method } = message;
  const params = message.params ?? {};
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"');
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    throw invalid('id must be text or an integer');
  if (method === undefined && ('result' in message || 'error' in message))
    return { id: undefined, method: undefined, params: {} };
  if (typeof method !== 'string') throw invalid('method must be text, as in "tools/list"');
  if (!isMembers(params)) throw invalid('params must be an object');
  return { id: id as RequestId | undefined, method, params };
}

/** True if a value is an object, and not an array. */
export const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const notJson = () => new ProtocolError('parseError', 'The body is not JSON in UTF-8', { status: 400 });

function textIn(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw notJson();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  // A byte-order mark.
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function objectIn(text: string): JsonMembers {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (Array.isArray(value)) throw invalid('send each message by itself, not in an array');
  if (!isMembers(value))
    throw invalid('a message is an object, as in {"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  return value;
}

const invalid = (what: string) =>
  new ProtocolError('invalidRequest', `Not a JSON-RPC message: ${what}`, { status: 400 });
