import { randomInt } from 'node:crypto';
import type { GatewayError } from '../../../errors.ts';
import { problemText } from '../../../http/message/reply.ts';
import { Frame } from '../../../http/message/stream/frame.ts';
import type { ResultDocument } from '../../../results/result-document.ts';

/** The reasons of the gateway for ending a stream. */
const endCodes = ['KEY_REVOKED', 'TOKEN_EXPIRED', 'QUERY_CHANGED', 'SHUTTING_DOWN'] as const;

export type EndCode = (typeof endCodes)[number];

/** Keeps proxies from closing a connection without traffic. */
export const heartbeat = new Frame([':\n\n']);

/** The entity tag of a result, as REST has it. */
export const etagOf = (digest: string): string => `W/"${digest}"`;

/** The digest of a result that the client has already, by the tag that it sent. */
export const knownDigest = ({ digest }: ResultDocument, tag: string | undefined): string | undefined =>
  tag === etagOf(digest) ? digest : undefined;

/** An event whose data is the text of a JSON value. @param id of the result; undefined if a reconnect cannot begin there */
export const eventFrame = (
  event: string,
  id: string | undefined,
  ...data: readonly (string | Uint8Array)[]
): Frame =>
  new Frame([`event: ${event}\n`, ...(id === undefined ? [] : [`id: ${id}\n`]), ...dataLines(data), '\n']);

/** A client that is at fault gets the message of REST. */
export const errorFrame = (error: GatewayError): Frame => eventFrame('error', undefined, problemText(error));

export function endFrame(code: EndCode, id?: string): Frame {
  const data = JSON.stringify({ ...(id !== undefined && { id }), code, message: endMessages[code] });
  return new Frame([retryLine(), 'event: end\n', `data: ${data}\n\n`]);
}

/** Says when clients reconnect: not all at once. */
export const retryLine = (): string => `retry: ${randomInt(minRetryMs, maxRetryMs + 1)}\n`;

const minRetryMs = 1_000;
const maxRetryMs = 5_000;

export const endMessages: Readonly<Record<EndCode, string>> = {
  KEY_REVOKED: 'The key does not permit this any more',
  TOKEN_EXPIRED: 'The key or the token has expired; connect again with a new one',
  QUERY_CHANGED: 'The saved query was changed or removed; connect again',
  SHUTTING_DOWN: 'The gateway is ending, or cannot check the key; connect again',
};

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

export const hasLineBreak = (part: string | Uint8Array): boolean =>
  typeof part === 'string' ? /[\r\n]/.test(part) : part.includes(lineFeed) || part.includes(carriageReturn);

/** In JSON a line break may stand between tokens only; each line of an event begins with the name of the field. */
function dataLines(parts: readonly (string | Uint8Array)[]): readonly (string | Uint8Array)[] {
  if (!parts.some(hasLineBreak)) return ['data: ', ...parts, '\n'];
  const text = parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString())).join('');
  return text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
}
