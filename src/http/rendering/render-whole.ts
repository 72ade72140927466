import { keyOf } from '../../concurrency/fair-share.ts';
import { systemClock } from '../../concurrency/clock.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { type RunContext, SingleFlight } from '../../concurrency/single-flight.ts';
import type { Part } from '../../formats/renderer.ts';
import type { Rows } from '../../formats/rows.ts';
import { toOwnMemory } from '../../results/encodings.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import type { RenderRequest } from './render-request.ts';

/** Renders rows as a body that is in memory as a whole. @throws GatewayError OVERLOADED; ENGINE_FAILED; CANCELLED */
export type RenderWhole = (digest: string, rows: Rows, request: RenderRequest) => Promise<Buffer>;

interface RenderOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/** Equal requests of a key that arrive meanwhile wait for the same body. */
export function buildRenderWhole(options: RenderOptions): RenderWhole {
  const running = new SingleFlight<Buffer>(systemClock);
  return async (digest, rows, request) => {
    // Another key's share of memory must not decide about this one's.
    const key = `${keyOf(request.owner)} ${digest}`;
    const run = ({ signal }: RunContext) => render(rows, { ...request, signal }, options);
    return (await running.wait(key, request.head.signal, run)).outcome;
  };
}

async function render(
  rows: Rows,
  { renderer, query, owner, signal }: RenderRequest & { readonly signal: AbortSignal },
  { budget, turns }: RenderOptions,
): Promise<Buffer> {
  const { whole, parts } = renderer;
  // A body made in parts is in memory twice, in parts and as a whole; a file that is made apart is smaller than JSON.
  const charge = budget.reserve(owner, (whole === undefined ? 2 : 0.5) * rows.identity.byteLength);
  try {
    const body =
      whole === undefined
        ? await turns.run(owner, collect(parts?.(rows, query), signal))
        : await whole(rows, { turns, owner, signal });
    budget.settle(charge, body);
    return body;
  } finally {
    // By then all requests that await the body have begun to send it, and hold it.
    setImmediate(() => charge.release());
  }
}

function* collect(parts: Iterator<Part, void> | undefined, signal: AbortSignal): Generator<void, Buffer> {
  const buffers: Buffer[] = [];
  for (const part of parts === undefined ? [] : Iterator.from(parts)) {
    signal.throwIfAborted();
    if (part !== undefined) buffers.push(Buffer.from(part as string));
    yield;
  }
  return toOwnMemory(Buffer.concat(buffers));
}
