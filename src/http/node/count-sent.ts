import type { Readable } from 'node:stream';
import type { FinishedReply } from '../message/reply.ts';
import { discardStream } from '../message/stream/stream-body.ts';

/** Reports the bytes of a body once it is closed. Something must read it already: a listener would begin to. */
export function countSent({ onSent }: FinishedReply, body: Readable): void {
  if (onSent === undefined) return;
  let bytes = 0;
  // Its reader refuses parts of other types.
  body.on('data', (part: unknown) => {
    if (typeof part === 'string' || part instanceof Uint8Array) bytes += Buffer.byteLength(part);
  });
  body.once('close', () => onSent(bytes));
}

/** Ends a stream that HEAD does not send. */
export function withoutBody({ onSent }: FinishedReply, body: Readable): void {
  discardStream(body);
  onSent?.(0);
}
