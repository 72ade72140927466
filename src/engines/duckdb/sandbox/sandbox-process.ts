import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { serialize } from 'node:v8';
import { callerResultTooLarge, maxCallerResultBytes } from '../../../engine-contract/engine-errors.ts';
import { type ErrorCode, GatewayError, statusOf } from '../../../errors.ts';
import { moduleUrl } from '../../../files/module-url.ts';
import { compileCache } from '../../../process/compile-cache.ts';
import type { Frame } from '../../../process/frames.ts';
import { type Child, type ChildOptions, type Ending, startChild } from '../../../process/start-child.ts';
import { usageOf } from '../../../process/usage-of.ts';
import type { Outline, TableRead } from '@querygate/bigquery-sql/sandbox';
import {
  fromSandbox,
  type SandboxSettings,
  type TextFailure,
  type TextRequest,
  type TextResult,
  toSandbox,
} from './messages.ts';

/** The process has ended, or has said what no sandbox says. */
export class SandboxEnded extends Error {
  /** True if it was killed by this process or by another one, and not by what it did itself. */
  readonly wasKilled: boolean;

  /** Of the text that has made its database unusable. */
  readonly failure: GatewayError | undefined;

  constructor(how: string, wasKilled: boolean, failure?: GatewayError) {
    super(`the process of a sandbox ended: ${how}`);
    this.wasKilled = wasKilled;
    this.failure = failure;
  }
}

/** Node's own address space beside what a text may use; most of it is never used. */
const ownAddressSpace = 3_000_000_000;

/** The memory of the process where the system does not report it. */
const usualBytes = 200_000_000;

/** More than the longest result takes. */
const maxPayloadBytes = 20_000_000;

/** V8 keeps the texts of a result until they are sent. */
const heapMegabytes = 160;

/** A process that runs one caller's SQL at a time. */
export class SandboxProcess {
  readonly pid: number | undefined;
  /** Where it finds rows: of this process only. */
  readonly folder: string;
  /** Resolves to the bytes of its memory when it can run a text. @throws SandboxEnded */
  readonly ready: Promise<number>;
  /** Resolves when it has ended. */
  readonly ended: Promise<SandboxEnded>;
  readonly #child: Child;
  #state: 'running' | 'ending' = 'running';
  /** For the answer to the last request, which has its number. */
  #waiting: PromiseWithResolvers<Frame> | undefined;
  #requestId = 0;
  #lastOutput = '';
  // An engine that runs no SQL of callers does without the library that it needs.
  readonly #readers = import('./read-answers.ts');
  readonly #outlines = new Map<Outline, number>();

  /** @throws Error if the system has no room, no memory, or no file descriptors for it */
  constructor(settings: SandboxSettings) {
    const { folder, memoryBytes } = settings;
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      this.#child = startChild(this.#childOptions(memoryBytes));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    const { pid } = this.#child;
    this.pid = pid;
    this.ended = this.#child.ended.then((ending) => this.#onEnd(ending));
    this.ready = this.#ask(toSandbox.open, settings, fromSandbox.ready).then(
      async () => (await usageOf(pid ?? 0))?.memoryBytes ?? usualBytes,
    );
    this.ready.catch(() => this.kill());
  }

  /** Also true once it has been killed, and is about to end. */
  get hasEnded(): boolean {
    return this.#state === 'ending';
  }

  /**
   * Judges a text, and returns the reads of tables that it needs.
   *
   * @throws GatewayError; SandboxEnded
   */
  async judge(outline: Outline, request: Omit<TextRequest, 'outline'>): Promise<readonly TableRead[]> {
    const known = this.#outlines.get(outline);
    const number = known ?? this.#outlines.size;
    if (known === undefined && !this.hasEnded) {
      this.#outlines.set(outline, number);
      this.#child.channel.send(toSandbox.outline, number, serialize(outline));
    }
    const answer = await this.#ask(toSandbox.judge, { ...request, outline: number }, fromSandbox.reads);
    const { readReads } = await this.#readers;
    return this.#parse(answer, (sent) => readReads(sent, outline));
  }

  /** Runs the text that was judged. @throws GatewayError; SandboxEnded */
  async run(files: readonly string[]): Promise<TextResult> {
    const answer = await this.#ask(toSandbox.run, files, fromSandbox.done);
    return this.#parse(answer, (await this.#readers).readResult);
  }

  /** The rows of the text that has run: `{"result":[…]}` in bytes. @throws GatewayError; SandboxEnded */
  async rows(): Promise<Uint8Array> {
    const rows = await this.#ask(toSandbox.rows, undefined, fromSandbox.rows);
    if (rows.byteLength > maxCallerResultBytes + documentBytes) throw callerResultTooLarge();
    return rows;
  }

  /** Has it run texts over no rows, until it gets a caller's: the first one then waits for less. */
  warmUp(): void {
    this.#child.channel.send(toSandbox.warmUp, 0);
  }

  /** Interrupts the text, as far as it lets itself be interrupted. */
  cancel(): void {
    this.#child.channel.send(toSandbox.cancel, 0);
  }

  /** Stops it, whatever it does, until `resume`: where the system can. */
  pause(): void {
    this.#child.signal('SIGSTOP');
  }

  resume(): void {
    this.#child.signal('SIGCONT');
  }

  kill(): void {
    this.#state = 'ending';
    this.#child.kill();
  }

  #childOptions(memoryBytes: number): ChildOptions {
    return {
      program: moduleUrl('./program', import.meta.url),
      flags: ['--no-warnings', `--max-old-space-size=${heapMegabytes}`],
      // One thread of DuckDB runs the text, another one is Node's.
      env: { UV_THREADPOOL_SIZE: '2', NODE_COMPILE_CACHE: compileCache() },
      addressSpaceBytes: ownAddressSpace + memoryBytes,
      maxPayloadBytes,
      onFrame: (frame) => {
        if (frame.id === this.#requestId) this.#waiting?.resolve(frame);
      },
      onOutput: (line) => {
        this.#lastOutput = line;
      },
    };
  }

  #onEnd({ code, signal }: Ending): SandboxEnded {
    const how = `${signal ?? `exit code ${code}`}${this.#lastOutput === '' ? '' : `, ${this.#lastOutput}`}`;
    const error = new SandboxEnded(how, signal === 'SIGKILL');
    this.#state = 'ending';
    this.#waiting?.reject(error);
    // The engine may still write rows into it.
    rm(this.folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    return error;
  }

  async #ask(kind: number, message: unknown, expected: number): Promise<Uint8Array> {
    if (this.hasEnded) throw await this.ended;
    this.#waiting = Promise.withResolvers();
    this.#requestId += 1;
    this.#child.channel.send(kind, this.#requestId, serialize(message));
    const answer = await this.#waiting.promise;
    if (answer.kind === expected) return answer.payload;
    if (answer.kind === fromSandbox.failed) {
      const { failure, ends } = this.#parse(answer.payload, failureOf);
      if (!ends) throw failure;
      this.kill();
      throw new SandboxEnded('its database may be unusable', false, failure);
    }
    this.kill();
    throw await this.ended;
  }

  /** A process that sends what no sandbox sends is of no use. */
  #parse<T>(payload: Uint8Array, read: (sent: unknown) => T): T {
    try {
      return read(JSON.parse(Buffer.from(payload).toString()));
    } catch {
      this.kill();
      throw new SandboxEnded('an answer that no sandbox gives', false);
    }
  }
}

/** Starts one. @throws Error as its constructor does */
export const startSandbox = (settings: SandboxSettings): SandboxProcess => new SandboxProcess(settings);

/** Around the rows: `{"result":[` and `]}`, and commas between them, which are not counted as bytes of rows. */
const documentBytes = 1_000_000;

function failureOf(sent: unknown): { readonly failure: GatewayError; readonly ends: boolean } {
  const { code, message, parameter, cause, ends } = sent as TextFailure;
  const known: ErrorCode = Object.hasOwn(statusOf, code) ? (code as ErrorCode) : 'ENGINE_FAILED';
  const failure = new GatewayError(known, String(message).slice(0, 10_000), {
    parameter: parameter === 'sql' ? parameter : undefined,
    ...(cause !== undefined && { cause: new Error(String(cause)) }),
  });
  return { failure, ends };
}
