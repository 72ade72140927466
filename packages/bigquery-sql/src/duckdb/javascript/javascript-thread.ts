import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** A request to the thread: rows to compute, or the statement that it may forget. */
export type Request =
  | {
      /** The statement, whose calls share what a function keeps. */
      readonly id: number;
      /** A `JavascriptFunction` as JSON. */
      readonly definition: string;
      /** JSON: an array with the texts of the arguments for each row. */
      readonly rows: string;
      readonly timeoutMs: number;
    }
  | { readonly ended: number };

/** The thread's answer: the results that it has computed, or why not. */
export type Answer =
  /** JSON: an array of texts, or an object with the failure of a row. */
  | { readonly results: string }
  | { readonly failure: string }
  /** It took too long. */
  | { readonly isOver: true };

export interface Channel {
  /** 1 when the thread has started, and when an answer is there. */
  readonly flag: Int32Array<SharedArrayBuffer>;
}

/** A function that works within WebAssembly's own loops is interrupted only by the end of its thread. */
const graceMs = 50;
/** With the packages of QuickJS it takes some 60 ms on an idle machine. */
const startMs = 10_000;
const stackMb = 16;

interface Thread extends Channel {
  readonly worker: Worker;
  readonly port: MessagePort;
  hasStarted: boolean;
}

let thread: Thread | undefined;

/** Starts the thread that computes functions in JavaScript, if it does not run: it is ready later. */
export function startThread(): Thread {
  thread ??= openThread();
  return thread;
}

function openThread(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const worker = new Worker(new URL(`./javascript-program${extension}`, import.meta.url), {
    workerData: { port: port2, flag },
    transferList: [port2],
    resourceLimits: { stackSizeMb: stackMb },
    env: {},
  });
  const started: Thread = { worker, port, flag, hasStarted: false };
  worker.on('error', () => forget(started));
  worker.unref();
  return started;
}

/** True if `computeInThread` would not wait for the thread to start. This starts the thread if it does not run. */
export function isThreadReady(): boolean {
  const { hasStarted, flag } = startThread();
  return hasStarted || Atomics.load(flag, 0) === 1;
}

/** Computes rows while this thread waits: DuckDB wants its result from the call. */
export function computeInThread(request: Extract<Request, { readonly id: number }>): Answer {
  const running = startThread();
  const { flag, port } = running;
  if (!running.hasStarted && !waitFor(flag, startMs))
    return end(running, { failure: 'the thread that computes JavaScript did not start' });
  running.hasStarted = true;
  Atomics.store(flag, 0, 0);
  port.postMessage(request);
  if (!waitFor(flag, request.timeoutMs + graceMs)) return end(running, { isOver: true });
  return receiveMessageOnPort(port)?.message;
}

/**
 * Waits until the flag is 1. A wake alone says nothing: the thread sets the flag before it wakes, so that the wake for one
 * answer may come while the next one is waited for.
 */
function waitFor(flag: Channel['flag'], timeoutMs: number): boolean {
  const until = performance.now() + timeoutMs;
  for (let leftMs = timeoutMs; leftMs > 0; leftMs = until - performance.now())
    if (Atomics.wait(flag, 0, 0, leftMs) === 'not-equal') return true;
  return Atomics.load(flag, 0) === 1;
}

/** Forgets what the functions of a statement keep. */
export function endStatement(id: number): void {
  if (thread?.hasStarted) thread.port.postMessage({ ended: id } satisfies Request);
}

function end(running: Thread, answer: Answer): Answer {
  forget(running);
  void running.worker.terminate();
  return answer;
}

function forget(ended: Thread): void {
  if (thread === ended) thread = undefined;
}
