import { moduleUrl } from '../../files/module-url.ts';
import { type Child, startChild } from '../../process/start-child.ts';
import { watchChild } from '../../process/watch-child.ts';
import { type Conversion, fromProgram } from './convert-file.ts';

/** The process could not be started, or has ended before it had written the file. */
export class ConversionEnded extends Error {}

/** Beyond what DuckDB may use, what Node, and the rows that are read at once, take. */
const memoryBytes = 1_000_000_000;

const addressSpaceBytes = 4_000_000_000;

/** Runs a conversion in a process of its own, which ends with it. @throws ConversionEnded; Error of DuckDB */
export async function convertApart(conversion: Conversion): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let lastOutput = '';
  const child = start({
    program: moduleUrl('./convert-program', import.meta.url),
    flags: ['--no-warnings'],
    env: { UV_THREADPOOL_SIZE: '2' },
    addressSpaceBytes,
    onFrame({ kind, payload }) {
      if (kind === fromProgram.done) resolve();
      else reject(new Error(payload.toString()));
    },
    onOutput(line) {
      lastOutput = line;
    },
  });
  void child.ended.then(({ code, signal }) =>
    reject(new ConversionEnded(`it ended with ${signal ?? `the exit code ${code}`} ${lastOutput}`)),
  );
  watchChild(child, {
    memoryBytes,
    silentSeconds: Number.POSITIVE_INFINITY,
    onKill: (reason) => reject(new ConversionEnded(reason)),
  });
  child.keepAlive(true);
  child.channel.sendJson(1, 0, conversion);
  try {
    await promise;
  } finally {
    child.kill();
    // Only then are its files its own no longer.
    await child.ended;
  }
}

function start(options: Parameters<typeof startChild>[0]): Child {
  try {
    return startChild(options);
  } catch (cause) {
    throw new ConversionEnded('it could not be started', { cause });
  }
}
