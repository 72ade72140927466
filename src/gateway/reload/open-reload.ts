import type { Logger } from 'pino';
import type { BrokenFile, CatalogHistory, CatalogProposal } from '../../catalog/folder/catalog-history.ts';
import type { CatalogFiles } from '../../catalog/folder/read-folder.ts';
import type { FolderWatch } from '../../catalog/folder/watch-folder.ts';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import { openRepeat } from '../../concurrency/repeat.ts';
import type { CatalogUpdates } from '../../engine-contract/engine.ts';
import { errorToLog } from '../../engine-contract/without-values.ts';
import type { CatalogState } from '../../http/handler/readiness.ts';
import type { ReloadOutcome } from '../plugin.ts';
import { describeChange } from './describe-change.ts';
import { compareBroken, type FilesReport, logReport } from './broken-files.ts';
import type { CatalogSource } from './query-source.ts';

interface ReloadOptions {
  readonly source: CatalogSource;
  /** The files of the first version. */
  readonly files: CatalogFiles;
  readonly history: CatalogHistory<AnalyzedCatalog>;
  /** undefined: the engine runs any query. */
  readonly updates: CatalogUpdates | undefined;
  /** True if the files are followed. */
  readonly isOn: boolean;
  /** Builds what serves a version. @returns makes it the current one; that resolves when no request uses an earlier one */
  readonly prepare: (catalog: AnalyzedCatalog) => Promise<() => Promise<unknown>>;
  readonly onOutcome: (outcome: ReloadOutcome) => void;
  /**
   * Receives broken files when they begin to be broken, or are broken in another way, and files that are mended, in place
   * of the log.
   */
  readonly onFiles?: ((report: FilesReport) => void) | undefined;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface Reload {
  readonly state: CatalogState;
  /** Looks for changed files now. */
  look(): void;
  close(): Promise<void>;
}

/** Serves the files of the queries folder as they change, each as soon as it can be served. */
export function openReload(options: ReloadOptions): Reload {
  const { source, files, history, updates, isOn, log, now, onOutcome, onFiles = logReport(log) } = options;
  let broken: readonly BrokenFile[] = [];
  let loadedAt = now();
  let folderProblem: string | undefined;
  /** The last error, which is logged once until something is served again. */
  let failure: string | undefined;

  const serve = async ({ catalog, accept }: CatalogProposal<AnalyzedCatalog>) => {
    const replace = await options.prepare(catalog);
    const release = await updates?.replace(catalog);
    // From here on nothing may fail, and all of it happens in one turn of the event loop.
    const unused = replace();
    accept();
    loadedAt = now();
    unused
      .then(release)
      .catch((err: unknown) => log.warn({ err }, 'an earlier version of the catalog stays in memory'));
  };
  const onChange = async (next: CatalogFiles) => {
    const startedAt = performance.now();
    const proposal = await history.propose(
      next,
      async (catalog) => (await updates?.check(catalog)) ?? new Map(),
    );
    const change = describeChange(history.catalog, proposal.catalog);
    if (change === undefined) proposal.accept();
    else await serve(proposal);
    failure = undefined;
    const report = compareBroken(broken, proposal.broken);
    broken = proposal.broken;
    const isReport = report.broken.length + report.mended.length > 0;
    if (change !== undefined || isReport) onOutcome(broken.length > 0 ? 'partial' : 'ok');
    if (change !== undefined)
      log.info({ ...change, ms: Math.round(performance.now() - startedAt) }, 'saved queries reloaded');
    if (isReport) onFiles(report);
  };
  const onFolderProblem = (problem: string | undefined) => {
    folderProblem = problem;
    if (problem === undefined)
      log.info({ folder: source.folder }, 'the folder of saved queries can be read again');
    else log.error({ folder: source.folder, problem }, unusableFolder);
  };
  const onError = (error: unknown) => {
    onOutcome('failed');
    if (failure !== String(error)) log.error({ err: errorToLog(error, log) }, failedReload);
    failure = String(error);
  };

  const watch: FolderWatch | undefined = isOn
    ? source.watch({ known: files, onChange, onFolderProblem, onError })
    : undefined;
  // The cause may lie outside the files: BigQuery may have been out of reach.
  const retry = openRepeat({
    everyMs: retryMs,
    work: async () => {
      if (broken.length > 0) watch?.look();
    },
    onError: () => {},
  });
  return {
    get state() {
      return { queries: history.catalog.queries.length, loadedAt, broken, problem: folderProblem };
    },
    look: () => watch?.look(),
    async close() {
      await retry.close();
      await watch?.close();
    },
  };
}

const retryMs = 60_000;

const unusableFolder = 'the folder of saved queries cannot be used: all saved queries stay as they are';

const failedReload =
  'changed saved queries could not be taken up: all stay as they are, and it is tried again';
