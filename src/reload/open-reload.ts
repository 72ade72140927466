import type { Logger } from 'pino';
import type { BrokenFile, CatalogHistory } from '../catalog/folder/catalog-history.ts';
import type { CatalogFiles } from '../catalog/folder/read-folder.ts';
import { type FolderWatch, watchFolder } from '../catalog/folder/watch-folder.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import { openRepeat } from '../concurrency/repeat.ts';
import type { CatalogUpdates } from '../engine/engine.ts';
import { errorToLog } from '../engine/without-values.ts';
import { describeProblem } from '../errors.ts';
import type { CatalogState } from '../http/observe/readiness.ts';
import type { ReloadOutcome } from '../metrics/catalog-metrics.ts';

interface ReloadOptions {
  readonly folder: string;
  /** The files of the first version. */
  readonly files: CatalogFiles;
  readonly history: CatalogHistory;
  /** undefined: the engine runs any query. */
  readonly updates: CatalogUpdates | undefined;
  /** Whether the files are followed. */
  readonly isOn: boolean;
  /** Builds what serves a version. @returns makes it the current one; that resolves when no request uses an earlier one */
  readonly prepare: (catalog: Catalog) => () => Promise<unknown>;
  readonly onOutcome: (outcome: ReloadOutcome) => void;
  /**
   * Receives broken files when they begin to be broken, or are broken in another way, and files that are mended, in place
   * of the log.
   */
  readonly onFiles?: ((report: FilesReport) => void) | undefined;
  readonly log: Logger;
  readonly now: () => Date;
}

/** What has changed about broken files. */
export interface FilesReport {
  readonly broken: readonly BrokenFile[];
  /** Files that were broken and are served as they are now, or are gone. */
  readonly mended: readonly string[];
}

export interface Reload {
  readonly state: CatalogState;
  /** Looks for changed files now. */
  look(): void;
  close(): Promise<void>;
}

/** Serves the files of the queries folder as they change, each as soon as it can be served. */
export function openReload(options: ReloadOptions): Reload {
  const { folder, files, history, updates, isOn, log, now, onOutcome, onFiles } = options;
  let broken: readonly BrokenFile[] = [];
  let loadedAt = now();
  let folderProblem: string | undefined;
  /** The last error, which is logged once until something is served again. */
  let failure: string | undefined;

  const onChange = async (next: CatalogFiles) => {
    const startedAt = performance.now();
    const proposal = await history.propose(
      next,
      async (catalog) => (await updates?.check(catalog)) ?? new Map(),
    );
    const before = history.catalog;
    const change = describeChange(before, proposal.catalog);
    if (change !== undefined) {
      const serve = options.prepare(proposal.catalog);
      const release = await updates?.replace(proposal.catalog);
      // From here on nothing may fail, and all of it happens in one turn of the event loop.
      const unused = serve();
      loadedAt = now();
      unused
        .then(release)
        .catch((err: unknown) => log.warn({ err }, 'an earlier version of the catalog stays in memory'));
    }
    proposal.accept();
    failure = undefined;
    const report = compareBroken(broken, proposal.broken);
    broken = proposal.broken;
    const isNews = change !== undefined || report.broken.length + report.mended.length > 0;
    if (isNews) onOutcome(broken.length > 0 ? 'partial' : 'ok');
    if (change !== undefined)
      log.info({ ...change, ms: Math.round(performance.now() - startedAt) }, 'saved queries reloaded');
    if (report.broken.length + report.mended.length > 0) (onFiles ?? logReport(log))(report);
  };

  const watch: FolderWatch | undefined = isOn
    ? watchFolder({
        folder,
        known: files,
        onChange,
        onFolderProblem(problem) {
          folderProblem = problem;
          if (problem === undefined) log.info({ folder }, 'the folder of saved queries can be read again');
          else
            log.error(
              { folder, problem },
              'the folder of saved queries cannot be used: all saved queries stay as they are',
            );
        },
        onError(error) {
          onOutcome('failed');
          if (failure !== String(error)) {
            log.error(
              { err: errorToLog(error, log) },
              'changed saved queries could not be taken up: all stay as they are, and it is tried again',
            );
          }
          failure = String(error);
        },
      })
    : undefined;
  // What is broken may depend on more than the files: BigQuery may have been out of reach.
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

/** The names of what differs, of which the log shows the first ones; undefined if nothing does. */
function describeChange(before: Catalog, after: Catalog): object | undefined {
  const queries = difference(before.queries, after.queries);
  const tables = difference(before.tables, after.tables);
  const parts = {
    ...queries,
    ...Object.fromEntries(Object.entries(tables).map(([key, names]) => [`${key}Tables`, names])),
  };
  const present = Object.entries(parts).filter(([, names]) => names.length > 0);
  if (present.length === 0) return undefined;
  return Object.fromEntries(
    present.map(([key, names]) => [
      key,
      names.length <= maxNames ? names : [...names.slice(0, maxNames), `and ${names.length - maxNames} more`],
    ]),
  );
}

const maxNames = 20;

function difference(before: readonly { name: string }[], after: readonly { name: string }[]) {
  const old = new Map(before.map((one) => [one.name, one]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    changed: after.flatMap((one) => (old.has(one.name) && old.get(one.name) !== one ? [one.name] : [])),
    removed: before.flatMap(({ name }) => (names.has(name) ? [] : [name])),
  };
}

function compareBroken(before: readonly BrokenFile[], after: readonly BrokenFile[]): FilesReport {
  const textOf = ({ problems, isServed }: BrokenFile) => JSON.stringify([isServed, problems]);
  const known = new Map(before.map((one) => [one.file, textOf(one)]));
  const files = new Set(after.map(({ file }) => file));
  return {
    broken: after.filter((one) => known.get(one.file) !== textOf(one)),
    mended: before.map(({ file }) => file).filter((file) => !files.has(file)),
  };
}

const logReport =
  (log: Logger) =>
  ({ broken, mended }: FilesReport): void => {
    for (const { problems, isServed, since } of broken.slice(0, maxNames)) {
      log.error(
        {
          problems: problems.slice(0, maxProblems).map(describeProblem),
          ...(isServed && { since: since.toISOString() }),
        },
        isServed ? 'a file is broken: its last good version is served' : 'a file is broken, and not served',
      );
    }
    if (broken.length > maxNames) log.error({ files: broken.length - maxNames }, 'more files are broken');
    if (mended.length > 0) log.info({ files: mended.slice(0, maxNames) }, 'files are no longer broken');
  };

/** Of one file. */
const maxProblems = 5;
