import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { statusOf } from '../../../errors.ts';
import type { ByteBudget } from '../../message/byte-budget.ts';
import type { Reply } from '../../message/reply.ts';
import { completeEvent, streamHeaders } from '../../accepted-stream.ts';

interface AsEventsOptions {
  readonly owner: Owner;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/**
 * A reply as the only result of a stream: `EventSource` does not show the body of another status than 200, and clients would
 * send a request with errors again. One that has events, or a status with another reason, is left as it is.
 *
 * @see GraphQL over SSE, "Distinct connections mode"
 */
export async function asEvents(reply: Reply, { owner, budget, turns }: AsEventsOptions): Promise<Reply> {
  const { status, headers, body, recycle } = reply;
  const isResult = [200, statusOf.BAD_REQUEST, statusOf.FORBIDDEN].includes(status);
  const hasEvents = headers['content-type'] === streamHeaders['content-type'];
  if (!isResult || hasEvents || !(body instanceof Uint8Array || typeof body === 'string')) return reply;
  const json = typeof body === 'string' ? Buffer.from(body) : body;
  const charge = json.byteLength > budget.largeBytes ? budget.hold(owner, json) : undefined;
  const events = await turns.run(owner, joinEvents(json));
  charge?.release();
  recycle?.();
  return {
    status: 200,
    headers: { ...streamHeaders, 'content-length': String(events.byteLength) },
    body: events,
  };
}

/** Bytes that are copied at once: less than a millisecond of work. */
const stepLength = 1_000_000;

function* joinEvents(json: Uint8Array): Generator<void, Buffer> {
  const start = 'event: next\ndata: ';
  const end = `\n\n${completeEvent}`;
  const events = Buffer.allocUnsafeSlow(start.length + json.byteLength + end.length);
  let at = events.write(start);
  for (let from = 0; from < json.byteLength; from += stepLength) {
    if (from > 0) yield;
    const part = json.subarray(from, from + stepLength);
    events.set(part, at);
    for (const lineBreak of lineBreaks) blank(events.subarray(at, at + part.byteLength), lineBreak);
    at += part.byteLength;
  }
  events.write(end, at);
  return events;
}

const lineBreaks = [0x0a, 0x0d];
const space = 0x20;

/** In JSON a line break may stand between tokens only, where a space means the same. */
function blank(bytes: Buffer, byte: number): void {
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) bytes[at] = space;
}
