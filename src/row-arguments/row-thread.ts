import { Worker } from 'node:worker_threads';
import { openLinkedAbort } from '../concurrency/abort.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { type ProcessorSlot, ProcessorSlots } from '../concurrency/processor/processor-slots.ts';
import { engineClosing } from '../engine-contract/engine-errors.ts';
import { callerDisconnected, GatewayError } from '../errors.ts';
import { moduleUrl } from '../files/module-url.ts';
import type { ResultDocument } from '../results/result-document.ts';
import type { RowCaller, RowOutcome, RowTask } from './row-task.ts';

/** @param identity the document; left out if the thread may know it */
export interface TaskRequest {
  readonly kind: 'run';
  readonly id: number;
  readonly documentId: number;
  readonly identity: SharedArrayBuffer | undefined;
  readonly task: RowTask;
}

export type ToThread =
  | TaskRequest
  | { readonly kind: 'pause' | 'resume' | 'cancel'; readonly id: number }
  /** Is answered as soon as no step runs. */
  | { readonly kind: 'ping' };

export type FromThread =
  | { readonly id: number; readonly outcome: RowOutcome | 'unknown document' }
  | { readonly id: number; readonly error: unknown }
  /** The processor time that a task has used since the message before. */
  | { readonly id: number; readonly usedMs: number }
  | 'pong';

/** How many tasks go on side by side; as many more keep what they have read while they are paused. */
const maxTasks = 2;

/** The time that a task may use before it is paused for those of others. */
const sliceMs = 50;

/** A step that goes on for so long after its task was cancelled is ended, with the thread. */
const graceMs = 2_000;

/** A thread without a task for so long ends, and gives its memory back. */
const maxIdleMs = 30_000;

/** Bytes that are copied in one turn of the event loop: about a millisecond. */
const copiedBytes = 4_000_000;

interface ThreadOptions {
  readonly turns: LoopTurns;
  /** How long a task may take, with the wait for its turn. */
  readonly timeoutMs: number;
}

/** A task in the thread. */
interface Waiting {
  readonly slot: ProcessorSlot;
  resolve(outcome: RowOutcome | 'unknown document' | 'again'): void;
  reject(error: unknown): void;
}

/**
 * A thread that finds the rows of large documents; the tasks of different owners go on in turn. It is started when it is first
 * needed, and keeps what it has read of the latest documents for a while.
 */
export class RowThread {
  readonly #turns: LoopTurns;
  readonly #timeoutMs: number;
  readonly #slots = new ProcessorSlots({
    ...{ size: maxTasks, sliceMs, queueLength: Number.POSITIVE_INFINITY },
    overflow: () => new Error('a queue without an end is full'),
  });
  readonly #closing = new AbortController();
  /** By their numbers. */
  readonly #tasks = new Map<number, Waiting>();
  #lastId = 0;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #unanswered: NodeJS.Timeout | undefined;

  constructor({ turns, timeoutMs }: ThreadOptions) {
    this.#turns = turns;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @throws GatewayError QUERY_TOO_EXPENSIVE if it takes too long; OVERLOADED if there is not enough memory; CANCELLED if the
   *   caller has gone, or the thread is closed
   */
  async run(document: ResultDocument, task: RowTask, { owner, signal }: RowCaller): Promise<RowOutcome> {
    const timeout = { ms: this.#timeoutMs, reason: () => tooSlow(this.#timeoutMs) };
    const abort = openLinkedAbort({ follow: [signal, this.#closing.signal], timeout });
    try {
      for (;;) {
        const slot = await this.#slots.enter(owner, abort.signal);
        try {
          const outcome = await this.#runIn(slot, document, task, abort.signal);
          if (outcome !== 'again') return outcome;
        } finally {
          slot.leave();
        }
      }
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      throw signal.aborted ? callerDisconnected(error) : error;
    } finally {
      abort.release();
    }
  }

  /** Ends the thread; what waits for it fails. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closing.abort(engineClosing());
    await this.#end('again');
  }

  async #runIn(
    slot: ProcessorSlot,
    document: ResultDocument,
    task: RowTask,
    signal: AbortSignal,
  ): Promise<RowOutcome | 'again'> {
    const { id: documentId } = document;
    const outcome = await this.#send(slot, { documentId, identity: undefined, task }, signal);
    if (outcome !== 'unknown document') return outcome;
    const identity = await this.#copy(document.encodings.identity, slot, signal);
    const second = await this.#send(slot, { documentId, identity, task }, signal);
    if (second === 'unknown document') throw new Error('a document that the thread was just given');
    return second;
  }

  async #send(
    slot: ProcessorSlot,
    request: Omit<TaskRequest, 'kind' | 'id'>,
    signal: AbortSignal,
  ): Promise<RowOutcome | 'unknown document' | 'again'> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<RowOutcome | 'unknown document' | 'again'>();
    const say = (kind: 'pause' | 'resume' | 'cancel') => worker.postMessage({ kind, id } satisfies ToThread);
    const cancel = () => {
      say('cancel');
      this.#requireAnswer(worker);
      reject(signal.reason);
    };
    slot.control = {
      pause: () => say('pause'),
      resume: () => say('resume'),
      end() {
        say('cancel');
        resolve('again');
      },
    };
    this.#tasks.set(id, { slot, resolve, reject });
    signal.addEventListener('abort', cancel, { once: true });
    // A thread must not keep the process alive, but a task that is awaited must.
    worker.ref();
    worker.postMessage({ kind: 'run', id, ...request } satisfies ToThread);
    if (slot.state === 'paused') say('pause');
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      slot.control = undefined;
      this.#tasks.delete(id);
      if (this.#tasks.size === 0) this.#rest(worker);
    }
  }

  /** Ends the thread unless it answers: others would wait for the step that it does. */
  #requireAnswer(worker: Worker): void {
    if (this.#unanswered !== undefined || this.#worker !== worker) return;
    this.#unanswered = setTimeout(() => void this.#end('again'), graceMs).unref();
    worker.postMessage({ kind: 'ping' } satisfies ToThread);
  }

  #rest(worker: Worker): void {
    worker.unref();
    if (!this.#closing.signal.aborted)
      this.#idle = setTimeout(() => void this.#end('again'), maxIdleMs).unref();
  }

  #start(): Worker {
    const worker = new Worker(moduleUrl('./row-worker', import.meta.url));
    worker.on('message', (message: FromThread) => {
      if (message === 'pong') return this.#noteAnswer();
      const task = this.#tasks.get(message.id);
      if ('usedMs' in message) task?.slot.used(message.usedMs);
      else if ('outcome' in message) task?.resolve(message.outcome);
      else task?.reject(message.error);
    });
    // Also without a task an error must not end the process.
    return worker.on('error', (error) => {
      if (this.#worker === worker) void this.#end(failureOf(error));
    });
  }

  #noteAnswer(): void {
    clearTimeout(this.#unanswered);
    this.#unanswered = undefined;
  }

  /** To memory that the thread shares, in turns. */
  async #copy(identity: Buffer, { owner }: ProcessorSlot, signal: AbortSignal): Promise<SharedArrayBuffer> {
    const shared = new SharedArrayBuffer(identity.byteLength);
    const bytes = new Uint8Array(shared);
    for (let at = 0; at < identity.byteLength; at += copiedBytes) {
      const turn = this.#turns.next(owner);
      if (turn !== undefined) await turn;
      signal.throwIfAborted();
      bytes.set(identity.subarray(at, at + copiedBytes), at);
    }
    return shared;
  }

  /** @param how why its tasks fail, or that they are to be begun again */
  #end(how: unknown): Promise<unknown> | undefined {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#noteAnswer();
    for (const task of this.#tasks.values()) {
      if (how === 'again') task.resolve(how);
      else task.reject(how);
    }
    return worker?.terminate();
  }
}

const tooSlow = (timeoutMs: number): GatewayError =>
  new GatewayError(
    'QUERY_TOO_EXPENSIVE',
    `To filter and order these rows takes more than ${timeoutMs / 1000} s; use fewer conditions`,
  );

function failureOf(cause: unknown): unknown {
  const { code = '' } = cause as { code?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new GatewayError('OVERLOADED', 'There is not enough memory to filter these rows now; try again', {
      cause,
      retryAfterSeconds: 5,
    });
  return cause;
}
