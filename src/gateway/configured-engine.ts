import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Config } from '../config.ts';
import type { Engine, ImportReport } from '../engine/engine.ts';
import { engines } from '../engines/engines.ts';
import { problemWithoutValues } from '../engine/without-values.ts';
import { describeProblem } from '../errors.ts';

interface ConfiguredEngineOptions {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly turns: LoopTurns;
  readonly log: Logger;
  readonly now: () => Date;
  /** Receives the progress of opening it, as one short line. */
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly imported: (report: ImportReport) => void;
}

/** Opens the configured engine; what it reports goes to the log. @throws StartError as `Engine` says */
export function openConfiguredEngine({
  config,
  catalog,
  turns,
  log,
  now,
  onProgress,
  imported,
}: ConfiguredEngineOptions): Promise<Engine> {
  return engines[config.engine].open({
    catalog,
    config,
    turns,
    now,
    listener: {
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
    },
  });
}
