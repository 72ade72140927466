import type { IncomingMessage } from 'node:http';
import { type Clock, within } from '../../../concurrency/clock.ts';
import { callerDisconnected, GatewayError } from '../../../errors.ts';
import { httpLimits } from '../http-limits.ts';

const { maxBodyBytes, bodyTimeoutMs } = httpLimits;

/** The whole body of a request, if it has arrived; undefined otherwise, and after other code has read of it. */
export function arrivedBody(message: IncomingMessage): Uint8Array | undefined {
  const { readableDidRead, readableLength, headers } = message;
  if (readableDidRead || message.destroyed || readableLength !== Number(headers['content-length']))
    return undefined;
  const body: Buffer | string | null = readableLength === 0 ? Buffer.alloc(0) : message.read();
  return typeof body === 'string' ? bytesOf(body, message) : (body ?? undefined);
}

/** A framework may have called `setEncoding`. */
const bytesOf = (text: string, { readableEncoding }: IncomingMessage): Buffer =>
  Buffer.from(text, readableEncoding ?? 'utf8');

/**
 * Reads a whole request body.
 *
 * @throws GatewayError BODY_TOO_LARGE, as soon as that is known: what still arrives is discarded; CANCELLED
 */
export function bodyOfNode(message: IncomingMessage): Promise<Uint8Array> {
  if (isTooLong(message.headers['content-length'])) return Promise.reject(bodyTooLarge());
  // Nothing would arrive any more.
  if (message.readableDidRead) return bodyThatWasRead(message);
  // It is empty, or a server with `optimizeEmptyRequests` has ended it, because the head has no header of a body.
  if (message.readableEnded) return Promise.resolve(Buffer.alloc(0));
  // It emits no `close` any more.
  if (message.destroyed) return Promise.reject(callerDisconnected());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let byteLength = 0;
    message.on('data', (given: Buffer | string) => {
      const chunk = typeof given === 'string' ? bytesOf(given, message) : given;
      byteLength += chunk.byteLength;
      chunks.push(chunk);
      if (byteLength <= maxBodyBytes) return;
      chunks.length = 0;
      message.removeAllListeners('data').resume();
      reject(bodyTooLarge());
    });
    message.on('end', () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    // Without a listener for errors Node emits none.
    message.on('close', () => {
      if (!message.readableEnded) reject(callerDisconnected());
    });
  });
}

/** The body that a framework has read before the gateway, and parsed into `body`. */
async function bodyThatWasRead(message: IncomingMessage): Promise<Uint8Array> {
  const bytes = bytesOfParsed(message);
  if (bytes.byteLength > maxBodyBytes) throw bodyTooLarge();
  return bytes;
}

function bytesOfParsed({ headers, body }: IncomingMessage & { readonly body?: unknown }): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (typeof body !== 'object' || body === null) throw wasRead();
  if (/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
    return Buffer.from(String(new URLSearchParams(pairsOf(body))));
  try {
    return Buffer.from(JSON.stringify(body));
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', 'The body cannot be written as JSON, or is nested too deeply', {
      cause,
    });
  }
}

/** A framework gives the values of a repeated name as a list. */
const pairsOf = (members: object): string[][] =>
  Object.entries(members).flatMap(([name, value]: [string, unknown]) =>
    [value]
      .flat()
      .filter((one) => typeof one !== 'object')
      .map((one) => [name, String(one)]),
  );

const wasRead = () =>
  new GatewayError('BAD_REQUEST', 'The body was read before the gateway: the server must leave it unread');

/**
 * The same for a Fetch request.
 *
 * @throws GatewayError BAD_REQUEST, too, if its stream fails; REQUEST_TIMEOUT if it does not end
 */
export async function bodyOfFetch(
  { headers, body, bodyUsed, signal }: Request,
  clock: Clock,
): Promise<Uint8Array> {
  if (isTooLong(headers.get('content-length') ?? undefined)) throw bodyTooLarge();
  if (bodyUsed || body?.locked) throw wasRead();
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  try {
    return await within(clock, bodyTimeoutMs, readBody(reader), bodyTooSlow);
  } catch (cause) {
    // Its end is not awaited: some bodies cannot be cancelled.
    reader.cancel(cause).catch(() => {});
    if (cause instanceof GatewayError) throw cause;
    if (signal.aborted) throw callerDisconnected(cause);
    throw new GatewayError('BAD_REQUEST', 'The body did not arrive completely', { cause });
  }
}

async function readBody(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    byteLength += value.byteLength;
    if (byteLength > maxBodyBytes) throw bodyTooLarge();
    chunks.push(value);
  }
}

const bodyTooSlow = () =>
  new GatewayError(
    'REQUEST_TIMEOUT',
    `The body took too long to arrive; it may take ${bodyTimeoutMs / 1000} s`,
  );

function isTooLong(contentLength: string | undefined): boolean {
  return contentLength !== undefined && Number(contentLength) > maxBodyBytes;
}

function bodyTooLarge(): GatewayError {
  return new GatewayError(
    'BODY_TOO_LARGE',
    `The body is larger than ${maxBodyBytes} bytes; split it into several requests`,
  );
}
