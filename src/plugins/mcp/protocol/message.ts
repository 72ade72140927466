import { isUtf8 } from 'node:buffer';
import { ProtocolError } from './protocol-error.ts';

/** A JSON object of a caller: nothing is known of its members. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** Of a request; the answer repeats it. */
export type RequestId = string | number;

/** What a client sends. A message without an id expects no answer. */
export interface Message {
  readonly id: RequestId | undefined;
  /** undefined for a response of the client, which is ignored: the server sends no requests. */
  readonly method: string | undefined;
  readonly params: JsonMembers;
}

/**
 * Reads one JSON-RPC message.
 *
 * @throws ProtocolError parseError, invalidRequest
 */
export function parseMessage(bytes: Uint8Array): Message {
  const message = parseObject(bytes);
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"');
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    throw invalid('id must be text or an integer');
  if (method === undefined && ('result' in message || 'error' in message))
    return { id: undefined, method: undefined, params: {} };
  if (typeof method !== 'string') throw invalid('method must be text, as in "tools/list"');
  if (!isMembers(params)) throw invalid('params must be an object');
  return { id: id as RequestId | undefined, method, params };
}

/** Whether a value is an object, and no array. */
export const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseObject(bytes: Uint8Array): JsonMembers {
  let value: unknown;
  try {
    if (!isUtf8(bytes)) throw new TypeError();
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    throw new ProtocolError('parseError', 'The body is not JSON in UTF-8', { status: 400 });
  }
  if (Array.isArray(value)) throw invalid('send each message by itself, not in an array');
  if (!isMembers(value))
    throw invalid('a message is an object, as in {"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  return value;
}

const invalid = (what: string) =>
  new ProtocolError('invalidRequest', `Not a JSON-RPC message: ${what}`, { status: 400 });
