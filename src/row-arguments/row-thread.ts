import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Owner } from '../concurrency/fair-share.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { Slots } from '../concurrency/slots.ts';
import { engineClosing } from '../engine/engine-errors.ts';
import { GatewayError } from '../errors.ts';
import { moduleUrl } from '../files/module-url.ts';
import type { ResultDocument } from '../results/result-document.ts';
import type { RowOutcome, RowTask } from './row-task.ts';

/** @param identity the document; left out if the thread may know it */
export interface ThreadRequest {
  readonly documentId: number;
  readonly identity: SharedArrayBuffer | undefined;
  readonly task: RowTask;
}

export type ThreadReply = RowOutcome | 'unknown document';

/** How long one task may take: some seconds are the most that its limits allow, but the machine may be busy. */
const maxTaskMs = 60_000;

/** A thread without a task for so long ends, and gives its memory back. */
const maxIdleMs = 30_000;

/** Bytes that are copied in one turn of the event loop: about a millisecond. */
const copiedBytes = 4_000_000;

/** Other callers may need what was read when the one for whom it is read has disconnected. */
const never = new AbortController().signal;

/**
 * A thread that finds the rows of large documents, one task after another; callers take turns. It is started when it is first
 * needed, and keeps what it has read of the latest documents for a while.
 */
export class RowThread {
  readonly #turns: LoopTurns;
  readonly #slots = new Slots(1);
  readonly #closing = new AbortController();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(turns: LoopTurns) {
    this.#turns = turns;
  }

  /**
   * @throws GatewayError QUERY_TOO_EXPENSIVE if it takes too long; OVERLOADED if there is not enough memory; CANCELLED if the
   *   thread is closed
   */
  async run(document: ResultDocument, task: RowTask, owner: Owner): Promise<RowOutcome> {
    const slot = this.#slots.slotFor(owner);
    try {
      await slot.take(never);
      clearTimeout(this.#idle);
      const { id: documentId } = document;
      let reply = await this.#send({ documentId, identity: undefined, task });
      if (reply === 'unknown document') {
        const identity = await this.#copy(document.encodings.identity, owner);
        reply = await this.#send({ documentId, identity, task });
      }
      if (reply === 'unknown document') throw new Error('a document that the thread was just given');
      return reply;
    } finally {
      if (!this.#closing.signal.aborted) this.#idle = setTimeout(() => this.#end(), maxIdleMs).unref();
      slot.giveBack();
    }
  }

  /** Ends the thread; what waits for it fails. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closing.abort(engineClosing());
    await this.#end();
  }

  async #send(request: ThreadRequest): Promise<ThreadReply> {
    this.#closing.signal.throwIfAborted();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // A thread must not keep the process alive, but a task that is awaited must.
    worker.ref();
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(maxTaskMs), this.#closing.signal]);
      const reply = once(worker, 'message', { signal }) as Promise<[ThreadReply]>;
      worker.postMessage(request);
      return (await reply)[0];
    } catch (cause) {
      void this.#end();
      this.#closing.signal.throwIfAborted();
      throw failureOf(cause);
    } finally {
      worker.unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(moduleUrl('./row-worker', import.meta.url));
    // Also without a task, and after the end of the wait for one, an error must not end the process.
    return worker.on('error', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
  }

  /** To memory that the thread shares, in turns. */
  async #copy(identity: Buffer, owner: Owner): Promise<SharedArrayBuffer> {
    const shared = new SharedArrayBuffer(identity.byteLength);
    const bytes = new Uint8Array(shared);
    for (let at = 0; at < identity.byteLength; at += copiedBytes) {
      const turn = this.#turns.next(owner);
      if (turn !== undefined) await turn;
      bytes.set(identity.subarray(at, at + copiedBytes), at);
    }
    return shared;
  }

  #end(): Promise<unknown> | undefined {
    const worker = this.#worker;
    this.#worker = undefined;
    return worker?.terminate();
  }
}

function failureOf(cause: unknown): unknown {
  const { name = '', code = '' } = cause as { name?: string; code?: string };
  if (name === 'AbortError')
    return new GatewayError(
      'QUERY_TOO_EXPENSIVE',
      `To filter and order these rows takes more than ${maxTaskMs / 1000} s; use fewer conditions`,
      { cause },
    );
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new GatewayError('OVERLOADED', 'There is not enough memory to filter these rows now; try again', {
      cause,
      retryAfterSeconds: 5,
    });
  return cause;
}
