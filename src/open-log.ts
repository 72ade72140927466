import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { formatLogLine } from './format-log-line.ts';

/** Lines are written together, when they take so much or have waited so long. */
const bufferBytes = 8 * 1024;
const flushMs = 100;

/** While standard error is not read, so much waits in memory; further lines are dropped. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** A write that takes longer is blocked: the exit does not wait for it. */
const blockedMs = 1_000;

export interface OpenLog {
  readonly log: Logger;
  /** Writes a line of JSON as it is; undefined if the log is formatted for people. */
  readonly writeLine: ((line: string) => void) | undefined;
}

/** Formatted for people on a terminal, JSON elsewhere; on standard error, because standard output has the banner. */
export function openLog({ logLevel: level }: Pick<Config, 'logLevel'>): OpenLog {
  if (!process.stderr.isTTY) {
    const writer = new LogWriter(2);
    setInterval(() => writer.startWriting(), flushMs).unref();
    process.on('exit', () => writer.flush());
    return { log: pino({ level }, writer), writeLine: (line) => writer.write(line) };
  }
  const stream = { write: (line: string) => void process.stderr.write(formatLogLine(line)) };
  return { log: pino({ level }, stream), writeLine: undefined };
}

/**
 * Writes lines off the path of requests: a write for each line would cost a cached REST reply a third of its speed. What
 * waits is written when the process exits, by an uncaught exception too; a kill loses it. A log that cannot be written, on
 * a full disk or without a reader, stops neither requests nor the exit: pino's own destination tries for ever.
 */
class LogWriter {
  readonly #fd: number;
  /** Writes to it do not block. */
  readonly #syncFd: number;
  #waiting = '';
  #dropped = 0;
  /** When the write that is under way began; undefined if none is. */
  #startedAt: number | undefined;

  constructor(fd: number) {
    this.#fd = fd;
    this.#syncFd = withoutBlocking(fd);
  }

  write(line: string): void {
    if (this.#waiting.length > maxWaitingBytes) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += line;
    if (this.#waiting.length >= bufferBytes) this.startWriting();
  }

  startWriting(): void {
    if (this.#startedAt !== undefined || this.#waiting === '') return;
    this.#startedAt = performance.now();
    this.#writeAll(Buffer.from(this.#takeWaiting()));
  }

  /** Writes what waits before it returns, where that is possible at once. Pino's `flush` calls it. */
  flush(): void {
    if (this.#startedAt !== undefined && performance.now() - this.#startedAt > blockedMs) return;
    const bytes = Buffer.from(this.#takeWaiting());
    let written = 0;
    try {
      while (written < bytes.byteLength) written += writeSync(this.#syncFd, bytes, written);
    } catch {
      // A full pipe or disk: there is no other place to report it.
      this.#waiting = bytes.toString('utf8', written) + this.#waiting;
    }
  }

  #writeAll(bytes: Buffer): void {
    write(this.#fd, bytes, (error, written) => {
      // A pipe that is full for the moment.
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeAll(bytes), flushMs).unref();
      else if (error === null && written < bytes.byteLength) this.#writeAll(bytes.subarray(written));
      else this.#startedAt = undefined;
    });
  }

  #takeWaiting(): string {
    const text = this.#waiting;
    this.#waiting = '';
    if (this.#dropped === 0) return text;
    const line = { level: 40, time: Date.now(), dropped: this.#dropped, msg: 'log lines were dropped' };
    this.#dropped = 0;
    return `${text}${JSON.stringify(line)}\n`;
  }
}

/** Another descriptor of a pipe, on which a write fails instead of waiting for a reader. */
function withoutBlocking(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
