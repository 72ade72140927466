import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from '../../config.ts';
import { formatLogLine } from './format-log-line.ts';

type LogFormat = NonNullable<Config['logFormat']>;

/** Lines are written together, when they take so much or have waited so long. */
const bufferLength = 32 * 1024;
const flushMs = 100;

/** Of UTF-8, for one of a string's characters. */
const maxCharacterBytes = 3;

/** While standard error cannot be written, so much waits in memory; further lines are dropped. */
const maxWaitingBytes = 4 * 1024 * 1024;

export interface OpenLog {
  readonly log: Logger;
  /** Writes a line of JSON as it is; undefined if the log has another format. */
  readonly writeLine: ((line: string) => void) | undefined;
}

/** A log of the same form on another stream. */
export const logOn = (stream: NodeJS.WriteStream, format: LogFormat): Logger => pino(formats[format], stream);

/** On standard error, because standard output has the banner. */
export function openLog({
  logLevel: level,
  logFormat: format = process.stderr.isTTY ? 'pretty' : 'json',
}: Pick<Config, 'logLevel' | 'logFormat'>): OpenLog {
  if (process.stderr.isTTY) {
    const formatLine = format === 'pretty' ? formatLogLine : (line: string) => line;
    const stream = { write: (line: string) => void process.stderr.write(formatLine(line)) };
    return { log: pino({ level, ...formats[format] }, stream), writeLine: undefined };
  }
  const writer = new LogWriter(2, droppedLines[format]);
  setInterval(() => writer.flush(), flushMs).unref();
  process.on('exit', () => writer.flush());
  if (format === 'json') return { log: pino({ level }, writer), writeLine: (line) => writer.write(line) };
  const stream =
    format === 'pretty' ? { write: (line: string) => writer.write(formatLogLine(line)) } : writer;
  return { log: pino({ level, ...formats[format] }, stream), writeLine: undefined };
}

/** The names of levels in Google Cloud Logging, which reads any other as the lowest. */
const severities: Readonly<Record<string, string>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

/** The options of pino for each format. @see https://cloud.google.com/logging/docs/structured-logging */
const formats: Readonly<Record<LogFormat, LoggerOptions>> = {
  json: {},
  pretty: {},
  gcp: {
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ severity: severities[label] ?? 'DEFAULT' }) },
  },
};

/** The line that says how many lines were dropped. */
const droppedLines: Readonly<Record<LogFormat, (count: number) => string>> = {
  json: (dropped) => `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg: droppedText })}\n`,
  gcp: (dropped) =>
    `${JSON.stringify({ severity: 'WARNING', time: new Date().toISOString(), dropped, message: droppedText })}\n`,
  pretty: (dropped) => `WARN ${droppedText} dropped=${dropped}\n`,
};

const droppedText = 'log lines were dropped';

/**
 * Writes many lines at once: a write for each would cost a cached REST reply a third of its speed. Lines that wait are
 * written when the process exits, by an uncaught exception too; a kill loses it. A log that cannot be written, on a
 * full disk or without a reader, stops neither requests nor the exit: pino's own destination tries for ever.
 */
class LogWriter {
  readonly #fd: number;
  /** Where lines become bytes: new memory for each write would take a fifth longer. */
  readonly #bytes = Buffer.allocUnsafe(4 * bufferLength);
  /** The rest of a partial write: it comes first, so that lines stay whole and in order. */
  #rest: Buffer = Buffer.alloc(0);
  #waiting = '';
  #dropped = 0;

  readonly #droppedLine: (count: number) => string;

  /** @param droppedLine says how many lines were dropped */
  constructor(fd: number, droppedLine: (count: number) => string) {
    this.#fd = withoutBlocking(fd);
    this.#droppedLine = droppedLine;
  }

  write(line: string): void {
    if (this.#rest.byteLength + this.#waiting.length > maxWaitingBytes) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += line;
    if (this.#waiting.length >= bufferLength) this.flush();
  }

  /** Writes what is possible at once. Pino's `flush` calls it. */
  flush(): void {
    try {
      this.#writeRest();
      this.#rest = this.#encode(this.#takeWaiting());
      this.#writeRest();
    } catch {
      // A full pipe or disk: there is no other place to report it.
    }
  }

  #writeRest(): void {
    while (this.#rest.byteLength > 0) this.#rest = this.#rest.subarray(writeSync(this.#fd, this.#rest));
  }

  /** Only when the rest has been written, which may be in the same memory. */
  #encode(text: string): Buffer {
    const fits = text.length * maxCharacterBytes <= this.#bytes.byteLength;
    return fits ? this.#bytes.subarray(0, this.#bytes.write(text)) : Buffer.from(text);
  }

  #takeWaiting(): string {
    const text = this.#waiting;
    this.#waiting = '';
    if (this.#dropped === 0) return text;
    const line = this.#droppedLine(this.#dropped);
    this.#dropped = 0;
    return `${text}${line}`;
  }
}

/**
 * Another descriptor of a pipe, on which a write fails instead of waiting for a reader. Node makes standard error such a
 * one when it is first used, but any process that shares it may undo that, as Node does when it exits.
 */
function withoutBlocking(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
