import type { Answer } from '@querygate/bigquery-sql/duckdb';
import { moduleUrl } from '../../../files/module-url.ts';
import { startChild } from '../../../process/start-child.ts';
import { usageOf } from '../../../process/usage-of.ts';
import { type ComputeRequest, type ForgetRequest, fromProcess, toProcess } from './compute-messages.ts';

/** Of Node, beside QuickJS, which has a memory of its own. */
const heapMegabytes = 160;

const lookEveryMs = 50;

/** A process that computes functions in JavaScript of one statement at a time. */
export class JavascriptProcess {
  readonly #child = startChild({
    program: moduleUrl('./javascript-program', import.meta.url),
    flags: ['--no-warnings', `--max-old-space-size=${heapMegabytes}`],
    onFrame: ({ kind, payload }) => {
      if (kind === fromProcess.ready) this.#ready.resolve();
      else this.#waiting?.resolve(JSON.parse(Buffer.from(payload).toString()));
    },
    onOutput() {},
  });
  readonly #ready = Promise.withResolvers<void>();
  #waiting: PromiseWithResolvers<Answer> | undefined;
  #hasEnded = false;

  constructor() {
    this.#ready.promise.catch(() => {});
    void this.#child.ended.then(() => {
      this.#hasEnded = true;
      const error = new Error('the process that computes JavaScript has ended');
      this.#ready.reject(error);
      this.#waiting?.reject(error);
    });
  }

  /** True if it may compute for another statement: it has not ended, and computes nothing. */
  get isIdle(): boolean {
    return !this.#hasEnded && this.#waiting === undefined;
  }

  /**
   * @param processorMs how much processor time it may take, where the system says it
   * @throws Error if the process ends first
   */
  async compute(request: ComputeRequest, processorMs: number): Promise<Answer> {
    const waiting = Promise.withResolvers<Answer>();
    this.#waiting = waiting;
    this.#child.keepAlive(true);
    let stopLooking = () => {};
    try {
      await this.#ready.promise;
      stopLooking = this.#endAfter(processorMs, waiting);
      this.#child.channel.sendJson(toProcess.compute, 0, request);
      return await waiting.promise;
    } finally {
      stopLooking();
      this.#waiting = undefined;
      this.#child.keepAlive(false);
    }
  }

  /** Lets it forget a statement. */
  forget(id: number): void {
    this.#child.channel.sendJson(toProcess.forget, 0, { id } satisfies ForgetRequest);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#child.kill();
    await this.#child.ended;
  }

  /** A machine that is busy gives it less time: only the time of the processor counts. @returns ends it */
  #endAfter(processorMs: number, waiting: PromiseWithResolvers<Answer>): () => void {
    let startedAtMs: number | undefined;
    const look = async () => {
      const usedMs = (await usageOf(this.#child.pid ?? 0))?.processorMs;
      if (usedMs === undefined || this.#waiting !== waiting) return;
      startedAtMs ??= usedMs;
      if (usedMs - startedAtMs <= processorMs) return;
      waiting.resolve({ isOver: true });
      await this.end();
    };
    const timer = setInterval(() => void look(), lookEveryMs).unref();
    return () => clearInterval(timer);
  }
}
