import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { serialize } from 'node:v8';
import { callerResultTooLarge, maxCallerResultBytes } from '../../../engine/engine-errors.ts';
import { type ErrorCode, GatewayError, statusOf } from '../../../errors.ts';
import { moduleUrl } from '../../../files/module-url.ts';
import type { Frame } from '../../../process/frames.ts';
import { type Child, type ChildOptions, startChild } from '../../../process/start-child.ts';
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

/** A process that runs one caller's SQL at a time. */
export interface SandboxProcess {
  readonly pid: number | undefined;
  /** Where it finds rows: of this process only. */
  readonly folder: string;
  /** Resolves to the bytes of its memory when it can run a text. @throws SandboxEnded */
  readonly ready: Promise<number>;
  /** Resolves when it has ended. */
  readonly ended: Promise<SandboxEnded>;
  /** Also true once it has been killed, and is about to end. */
  readonly hasEnded: boolean;
  /**
   * What a text reads.
   *
   * @throws GatewayError; SandboxEnded
   */
  judge(outline: Outline, request: Omit<TextRequest, 'outline'>): Promise<readonly TableRead[]>;
  /** Runs the text that was judged. @throws GatewayError; SandboxEnded */
  run(files: readonly string[]): Promise<TextResult>;
  /** The rows of the text that has run: `{"result":[…]}` in bytes. @throws GatewayError; SandboxEnded */
  rows(): Promise<Uint8Array>;
  /** Has it run texts over no rows, until it gets a caller's: the first one then waits for less. */
  warmUp(): void;
  /** Interrupts the text, as far as it lets itself be interrupted. */
  cancel(): void;
  /** Stops it, whatever it does, until `resume`: where the system can. */
  pause(): void;
  resume(): void;
  kill(): void;
}

/** The process has ended, or has said what no sandbox says. */
export class SandboxEnded extends Error {
  /** Whether it was killed by this process or by another one, and not by what it did itself. */
  readonly wasKilled: boolean;

  constructor(how: string, wasKilled: boolean) {
    super(`the process of a sandbox ended: ${how}`);
    this.wasKilled = wasKilled;
  }
}

/** Node's own address space beside what a text may use; most of it is never used. */
const ownAddressSpace = 3_000_000_000;

/** What the process has where the system does not say it. */
const usualBytes = 200_000_000;

/** More than the longest result takes. */
const maxPayloadBytes = 20_000_000;

/** V8 keeps the texts of a result until they are sent. */
const heapMegabytes = 160;

/**
 * @param compiled the folder of Node's compile cache
 * @throws Error if the system has no room, no memory, or no file descriptors for it
 */
export function startSandbox(settings: SandboxSettings, compiled: string): SandboxProcess {
  const { folder, memoryBytes } = settings;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ended = Promise.withResolvers<SandboxEnded>();
  let hasEnded = false;
  /** For the answer to the last request, which has its number. */
  let waiting: PromiseWithResolvers<Frame> | undefined;
  let requestId = 0;
  let lastOutput = '';
  // An engine that runs no SQL of callers does without the library that it needs.
  const readers = import('./read-answers.ts');
  const outlines = new Map<Outline, number>();

  const options: ChildOptions = {
    program: moduleUrl('./program', import.meta.url),
    flags: ['--no-warnings', `--max-old-space-size=${heapMegabytes}`],
    // One thread of DuckDB runs the text, another one is Node's.
    env: { UV_THREADPOOL_SIZE: '2', NODE_COMPILE_CACHE: compiled },
    addressSpaceBytes: ownAddressSpace + memoryBytes,
    maxPayloadBytes,
    onFrame(frame) {
      if (frame.id === requestId) waiting?.resolve(frame);
    },
    onOutput(line) {
      lastOutput = line;
    },
  };
  let child: Child;
  try {
    child = startChild(options);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const kill = () => {
    hasEnded = true;
    child.kill();
  };
  void child.ended.then(({ code, signal }) => {
    const how = `${signal ?? `exit code ${code}`}${lastOutput === '' ? '' : `, ${lastOutput}`}`;
    const error = new SandboxEnded(how, signal === 'SIGKILL');
    hasEnded = true;
    waiting?.reject(error);
    ended.resolve(error);
    // The engine may still write rows into it.
    rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  });

  const ask = async (kind: number, message: unknown, expected: number): Promise<Uint8Array> => {
    if (hasEnded) throw await ended.promise;
    waiting = Promise.withResolvers();
    requestId += 1;
    child.channel.send(kind, requestId, serialize(message));
    const answer = await waiting.promise;
    if (answer.kind === expected) return answer.payload;
    if (answer.kind === fromSandbox.failed) {
      throw parse(answer.payload, (sent) => {
        if ((sent as TextFailure).ends) kill();
        return failureOf(sent);
      });
    }
    kill();
    throw await ended.promise;
  };

  /** A process that sends what no sandbox sends is of no use. */
  const parse = <T>(payload: Uint8Array, read: (sent: unknown) => T): T => {
    try {
      return read(JSON.parse(Buffer.from(payload).toString()));
    } catch {
      kill();
      throw new SandboxEnded('an answer that no sandbox gives', false);
    }
  };

  const ready = ask(toSandbox.open, settings, fromSandbox.ready).then(
    async () => (await usageOf(child.pid ?? 0))?.memoryBytes ?? usualBytes,
  );
  ready.catch(kill);
  return {
    pid: child.pid,
    folder,
    ready,
    ended: ended.promise,
    get hasEnded() {
      return hasEnded;
    },
    async judge(outline, request) {
      const known = outlines.get(outline);
      const number = known ?? outlines.size;
      if (known === undefined && !hasEnded) {
        outlines.set(outline, number);
        child.channel.send(toSandbox.outline, number, serialize(outline));
      }
      const answer = await ask(toSandbox.judge, { ...request, outline: number }, fromSandbox.reads);
      const { readReads } = await readers;
      return parse(answer, (sent) => readReads(sent, outline));
    },
    async run(files) {
      const answer = await ask(toSandbox.run, files, fromSandbox.done);
      return parse(answer, (await readers).readResult);
    },
    async rows() {
      const rows = await ask(toSandbox.rows, undefined, fromSandbox.rows);
      if (rows.byteLength > maxCallerResultBytes + documentBytes) throw callerResultTooLarge();
      return rows;
    },
    warmUp: () => child.channel.send(toSandbox.warmUp, 0),
    cancel: () => child.channel.send(toSandbox.cancel, 0),
    pause: () => child.signal('SIGSTOP'),
    resume: () => child.signal('SIGCONT'),
    kill,
  };
}

/** Around the rows: `{"result":[` and `]}`, and commas between them, which are not counted as bytes of rows. */
const documentBytes = 1_000_000;

function failureOf(sent: unknown): GatewayError {
  const { code, message, parameter, cause } = sent as TextFailure;
  const known: ErrorCode = Object.hasOwn(statusOf, code) ? (code as ErrorCode) : 'ENGINE_FAILED';
  return new GatewayError(known, String(message).slice(0, 10_000), {
    parameter: parameter === 'sql' ? parameter : undefined,
    ...(cause !== undefined && { cause: new Error(String(cause)) }),
  });
}
