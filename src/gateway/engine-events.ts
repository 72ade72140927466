import type { Logger } from 'pino';
import type { EngineListener, ImportReport } from '../engine/engine.ts';
import { problemWithoutValues } from '../engine/without-values.ts';
import { describeProblem } from '../errors.ts';

interface LogEventsOptions {
  readonly log: Logger;
  /** Receives the progress of opening the engine, as one short line. */
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly imported: (report: ImportReport) => void;
}

/** What an engine reports goes to the log. */
export const logEvents = ({ log, onProgress, imported }: LogEventsOptions): EngineListener => ({
  problem: (message) => log.warn(log.isLevelEnabled('debug') ? message : problemWithoutValues(message)),
  // An uncaught error ends the process in order, so that its supervisor starts it again.
  unusable: (error) =>
    setImmediate(() => {
      throw error;
    }),
  news: (message) => log.info(message),
  imported,
  ...(onProgress && { progress: onProgress }),
  queryChecked: ({ query: { name: endpoint }, bytesProcessed, problems }) => {
    log.info({ endpoint, bytesProcessed }, 'query checked');
    for (const problem of problems) log.warn({ endpoint }, describeProblem(problem));
  },
});
