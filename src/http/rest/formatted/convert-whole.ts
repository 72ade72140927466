import { keyOf } from '../../../concurrency/fair-share.ts';
import { systemClock } from '../../../concurrency/clock.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { buildSingleFlight, type RunContext } from '../../../concurrency/single-flight.ts';
import { convertRows, type Part } from '../../../formats/convert-rows.ts';
import { formats } from '../../../formats/format.ts';
import type { Rows } from '../../../formats/rows.ts';
import { toOwnMemory } from '../../../results/encodings.ts';
import type { ByteBudget } from '../../message/byte-budget.ts';
import type { FormattedRequest } from './formatted-request.ts';
import { writeParquetInTurn } from './write-parquet-in-turn.ts';

/** Converts rows to a body that is in memory as a whole. @throws GatewayError OVERLOADED; ENGINE_FAILED; CANCELLED */
export type ConvertWhole = (digest: string, rows: Rows, request: FormattedRequest) => Promise<Buffer>;

interface ConvertOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/** Equal requests of a key that arrive during a conversion wait for it. */
export function buildConvertWhole(options: ConvertOptions): ConvertWhole {
  const running = buildSingleFlight<Buffer>(systemClock);
  return async (digest, rows, request) => {
    // Another key's share of memory must not decide about this one's.
    const key = `${keyOf(request.owner)} ${digest}`;
    const run = ({ signal }: RunContext) => convert(rows, { ...request, signal }, options);
    return (await running.wait(key, request.head.signal, run)).outcome;
  };
}

async function convert(
  rows: Rows,
  { format, query, owner, signal }: FormattedRequest & { readonly signal: AbortSignal },
  { budget, turns }: ConvertOptions,
): Promise<Buffer> {
  // While it is made, a text is in memory twice, in parts and as a whole; Parquet takes a part of what JSON does.
  const copies = format === formats.parquet ? 0.5 : 2;
  const charge = budget.reserve(owner, copies * rows.identity.byteLength);
  try {
    const body =
      format === formats.parquet
        ? await writeParquetInTurn(rows, turns, { owner, signal })
        : await turns.run(owner, collect(convertRows(format, rows, query.prometheus)));
    budget.settle(charge, body);
    return body;
  } finally {
    // By then all requests that await the body have begun to send it, and hold it.
    setImmediate(() => charge.release());
  }
}

function* collect(parts: Iterable<Part>): Generator<void, Buffer> {
  const buffers: Buffer[] = [];
  for (const part of parts) {
    if (part !== undefined) buffers.push(Buffer.from(part as string));
    yield;
  }
  return toOwnMemory(Buffer.concat(buffers));
}
