import { keyOf } from '../concurrency/fair-share.ts';
import type { Logger } from 'pino';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Engine, ImportReport } from '../engine-contract/engine.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import { withWholeCosts } from '../engine-contract/whole-costs.ts';
import { errorToLog, problemWithoutValues } from '../engine-contract/without-values.ts';
import { limitsOf, withFileChecks } from '../engines/checked-engine.ts';
import { describeProblem, StartError } from '../errors.ts';
import type { Settings } from './options.ts';

interface EngineOptions {
  readonly engine: EngineFactory;
  readonly settings: Settings;
  readonly catalog: AnalyzedCatalog;
  readonly turns: LoopTurns;
  readonly log: Logger;
  readonly now: () => Date;
  /** Receives the progress of opening it, as one short line. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Called when it cannot run anything until it is opened again. */
  readonly onUnusable?: ((error: Error) => void) | undefined;
  readonly imported: (report: ImportReport) => void;
  readonly dataChanged: () => void;
}

/** Opens an engine whose reports go to the log. @throws StartError as `Engine` says */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { engine, settings, catalog, turns, log, now, onProgress, onUnusable, imported, dataChanged } =
    options;
  const opened = await withFileChecks(engine).open({
    catalog,
    limits: limitsOf(settings),
    turns,
    now,
    events: {
      problem: (message) => log.warn(log.isLevelEnabled('debug') ? message : problemWithoutValues(message)),
      unusable: onUnusable ?? ((error) => log.fatal({ err: errorToLog(error, log) }, unusable)),
      news: (message) => log.info(message),
      ...{ imported, dataChanged },
      ...(onProgress && { progress: onProgress }),
      sqlStopped: ({ owner, endpoint, sqlSha256: sql_sha256, reason, rests }) =>
        log.warn({ key: keyOf(owner), endpoint, sql_sha256, reason, rests }, 'SQL of a caller was stopped'),
      queryChecked: ({ query: { name: endpoint }, bytesProcessed, problems }) => {
        log.info({ endpoint, bytesProcessed }, 'query checked');
        for (const problem of problems) log.warn({ endpoint }, describeProblem(problem));
      },
    },
  });
  // Of another kind, those of two engines may have the same text, by which results are shared.
  if (typeof opened.source === 'string') return withWholeCosts(opened, (message) => log.warn(message));
  await opened.close();
  throw new StartError('The engine cannot be used', [
    { message: `engine: ${engine.name}: source must be a text that names its data` },
  ]);
}

const unusable = 'the engine cannot run anything until the gateway is opened again';
