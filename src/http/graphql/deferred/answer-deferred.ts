import type { Logger } from 'pino';
import { openLinkedAbort } from '../../../concurrency/abort.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { ByteBudget, ByteCharge } from '../../message/byte-budget.ts';
import { variesByFormat } from '../../message/cache-headers.ts';
import type { RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import { type Reply, toGatewayError } from '../../message/reply.ts';
import { logOf } from '../../message/request-trace.ts';
import { type Sink, StreamBody } from '../../message/stream/stream-body.ts';
import type { RequestPart } from '../compiled/operation-request.ts';
import { responseTooLarge } from '../errors.ts';
import type { IncrementalFormat } from './incremental-format.ts';
import { IncrementalPayloads, type PartOutcome } from './incremental-payloads.ts';
import { MultipartWriter } from './multipart-writer.ts';

export interface DeferredOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  readonly log: Logger;
}

/** A request whose caller gets its parts one after another. */
interface DeferredRequest {
  readonly parts: readonly RequestPart[];
  readonly format: IncrementalFormat;
  readonly head: RequestHead;
  readonly owner: Owner;
  /** Answers a part as an operation of its own. */
  readonly answerPart: (part: RequestPart, head: RequestHead) => Promise<Reply>;
}

/**
 * Runs all parts of an operation at once, those that are not deferred first, and sends each as soon as it is there.
 *
 * @returns what is not deferred as the only answer, if that is refused
 * @throws GatewayError as `answerPart` does
 */
export async function answerDeferred(request: DeferredRequest, options: DeferredOptions): Promise<Reply> {
  const { parts, format, head, answerPart } = request;
  const abort = openLinkedAbort({ follow: [head.signal] });
  const partHead = headOfParts(head, abort.signal);
  const run = async (part: RequestPart) => answerPart(part, partHead);
  const first = parts.find(({ fragments }) => fragments.length === 0);
  const later = parts.filter((part) => part !== first);
  const beginning = first && run(first);
  const running = later.map(run);
  const done = Promise.allSettled([beginning, ...running]).then(() => abort.release());
  try {
    const initial = await beginning;
    if (initial !== undefined && initial.status !== 200) {
      abort.abort();
      return initial;
    }
    const payloads = new IncrementalPayloads(
      later.map(({ fragments }) => fragments),
      format,
    );
    const body = streamParts(
      { ...request, initial, running, payloads, abort: () => abort.abort(), done },
      options,
    );
    const headers = {
      'content-type': `multipart/mixed; boundary="-"; ${parameterOf[format]}`,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      vary: variesByFormat,
    };
    return { status: 200, headers, body };
  } catch (error) {
    abort.abort();
    throw error;
  }
}

const parameterOf: Readonly<Record<IncrementalFormat, string>> = {
  'incrementalspec=v0.2': 'incrementalSpec=v0.2',
  'deferspec=20220824': 'deferSpec=20220824',
};

/** The body of a part is JSON without a coding, and no answer of its own: it needs no `ETag`. */
function headOfParts(head: RequestHead, signal: AbortSignal): RequestHead {
  const { url, headers, trace, results } = head;
  return {
    method: 'POST',
    url,
    headers: { ...headers, accept: 'application/json', 'accept-encoding': undefined },
    get address() {
      return head.address;
    },
    signal,
    trace,
    results,
  };
}

interface StreamedParts extends Omit<DeferredRequest, 'parts'> {
  /** undefined if everything is deferred. */
  readonly initial: Reply | undefined;
  readonly running: readonly Promise<Reply>[];
  readonly payloads: IncrementalPayloads;
  abort(): void;
  /** Resolves when no part runs any more. */
  readonly done: Promise<void>;
}

function streamParts(
  { initial, running, payloads, abort, done, head, owner }: StreamedParts,
  { budget, turns, log }: DeferredOptions,
): StreamBody {
  const bodies = new PartBodies(owner, budget);
  const first = payloads.first(initial === undefined ? noData : bodies.take(initial));
  const ownLog = logOf(head, log);
  const outcomeOf = (settled: PromiseSettledResult<Reply>): PartOutcome => {
    try {
      if (settled.status === 'rejected') throw settled.reason;
      return { body: bodies.take(settled.value) };
    } catch (error) {
      const { code, message } = toGatewayError(error, ownLog);
      return { errors: [{ message, extensions: { code } }] };
    }
  };
  return new StreamBody(
    {
      begin(sink, onEnd) {
        const writer = new MultipartWriter(sink, turns, owner);
        const end = (how: 'COMPLETE' | 'CLIENT') => {
          if (writer.isClosed) return;
          writer.isClosed = true;
          onEnd({ parts: writer.parts, end: how, bytes: writer.bytes });
        };
        const sendAll = async () => {
          await writer.write(first);
          for await (const [at, settled] of inOrderOfCompletion(running)) {
            if (writer.isClosed) return;
            if (!sink.isWaiting && !payloads.isHolding) bodies.release();
            const pieces = payloads.next(at, outcomeOf(settled));
            if (pieces !== undefined) await writer.write(pieces);
          }
          if (writer.isClosed) return;
          writer.end();
          end('COMPLETE');
          bodies.releaseWhenTaken(sink);
        };
        sendAll().catch((error: unknown) => {
          toGatewayError(error, ownLog);
          abort();
          sink.destroy();
        });
        return () => {
          end('CLIENT');
          abort();
          bodies.release();
        };
      },
      discard() {
        abort();
        bodies.release();
      },
    },
    done,
  );
}

/** The bodies of one answer, charged until they are sent. */
class PartBodies {
  readonly #owner: Owner;
  readonly #budget: ByteBudget;
  readonly #charges: ByteCharge[] = [];
  #bytes = 0;

  constructor(owner: Owner, budget: ByteBudget) {
    this.#owner = owner;
    this.#budget = budget;
  }

  /**
   * The body of an answer. Its memory is not used again: it may wait for other parts.
   *
   * @throws GatewayError QUERY_TOO_EXPENSIVE if all are too large together; OVERLOADED
   */
  take({ body }: Reply): Uint8Array {
    if (!(body instanceof Uint8Array)) throw new TypeError('a part without a body');
    if (this.#bytes + body.byteLength > httpLimits.maxResponseBytes) throw responseTooLarge();
    if (body.byteLength > this.#budget.largeBytes) {
      this.#budget.requireRoom(this.#owner, body);
      this.#charges.push(this.#budget.hold(this.#owner, body));
    }
    this.#bytes += body.byteLength;
    return body;
  }

  release(): void {
    for (const charge of this.#charges.splice(0)) charge.release();
  }

  /** Not every server says when a client has taken the last byte. */
  releaseWhenTaken(sink: Sink): void {
    if (!sink.isWaiting) this.release();
    else if (this.#charges.length > 0) setTimeout(() => this.releaseWhenTaken(sink), checkMs).unref();
  }
}

const checkMs = 1_000;

const noData = Buffer.from('{"data":{}}');

async function* inOrderOfCompletion<T>(
  promises: readonly Promise<T>[],
): AsyncGenerator<readonly [at: number, settled: PromiseSettledResult<T>]> {
  const open = new Map(
    promises.map((promise, at) => {
      const settled = Promise.allSettled([promise]).then(([one]) => [at, one] as const);
      return [at, settled] as const;
    }),
  );
  while (open.size > 0) {
    const done = await Promise.race(open.values());
    open.delete(done[0]);
    yield done;
  }
}
