import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** Lines that wait to be written take at most this much, and wait at most this long. */
const bufferBytes = 8 * 1024;
const flushMs = 100;

export interface OpenLog {
  readonly log: Logger;
  /** Writes a line of JSON as it is; undefined if the log is formatted for people. */
  readonly writeLine: ((line: string) => void) | undefined;
}

/** Formatted for people on a terminal, JSON elsewhere; on standard error, because standard output has the banner. */
export async function openLog({ logLevel: level }: Pick<Config, 'logLevel'>): Promise<OpenLog> {
  if (!process.stderr.isTTY) {
    const destination = openDestination();
    return { log: pino({ level }, destination), writeLine: (line) => destination.write(line) };
  }
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ destination: 2, sync: true, ignore: 'pid,hostname' });
  return { log: pino({ level }, stream), writeLine: undefined };
}

/**
 * Standard error, written off the path of requests: a write for each line would cost a cached REST reply a third of its
 * speed. Nothing is lost when the process exits, by an uncaught exception too; a kill loses the last lines.
 */
function openDestination() {
  const destination = pino.destination({ dest: 2, sync: false, minLength: bufferBytes });
  setInterval(() => destination.flush(), flushMs).unref();
  process.on('exit', () => destination.flushSync());
  return destination;
}
