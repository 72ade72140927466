import {
  type CatalogFiles,
  contentOf,
  isQueryPath,
  noQueries,
  readFolder,
} from '../../catalog/folder/read-folder.ts';
import { type FolderWatch, type WatchOptions, watchFolder } from '../../catalog/folder/watch-folder.ts';
import { StartError } from '../../errors.ts';

/**
 * Texts by the names of files: `<name>.sql` for saved queries, `tables/<name>.json` for the schemas of their tables,
 * `views/<any>.sql` and `functions/<any>.sql` for what they read.
 */
export type QueryTexts = Readonly<Record<string, string>> | ReadonlyMap<string, string>;

/** Saved queries that are not files of a folder. */
export interface QuerySource {
  /** All of them, as they are now. When it fails after the start, all saved queries stay as they are, and it is tried again. */
  read(): QueryTexts | Promise<QueryTexts>;
  /**
   * Follows changes.
   *
   * @param onChange to be called after each: `read` is called soon, once for calls that follow each other
   * @returns ends it, when the gateway is closed, which waits for it
   * @throws anything, which is logged; it is called again after ten seconds
   */
  watch?(onChange: () => void): (() => unknown) | Promise<() => unknown>;
}

/** Where the files of a catalog come from. */
export interface CatalogSource {
  /** Comes before the names of files in messages. */
  readonly folder: string;
  /** @throws StartError if they cannot be read, or have no saved query */
  read(): CatalogFiles | Promise<CatalogFiles>;
  watch(options: Omit<WatchOptions, 'folder'>): FolderWatch;
}

export function catalogSource(queries: string | QuerySource): CatalogSource {
  if (typeof queries !== 'string') return objectSource(queries);
  return {
    folder: queries,
    read: () => readFolder(queries),
    watch: (options) => watchFolder({ ...options, folder: queries }),
  };
}

function objectSource(source: QuerySource): CatalogSource {
  const read = async () => filesOf(await source.read());
  return {
    folder: '',
    async read() {
      const files = await read();
      if (hasQueries(files)) return files;
      throw new StartError('There are no saved queries', [
        { message: `queries: read gives no name that ends in .sql` },
      ]);
    },
    watch: (options) => watchObject(source, read, options),
  };
}

/** Calls that follow each other lead to one look. */
const settleMs = 50;
const retryMs = 10_000;

function watchObject(
  source: QuerySource,
  read: () => Promise<CatalogFiles>,
  { onChange, onFolderProblem, onError }: Omit<WatchOptions, 'folder'>,
): FolderWatch {
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isDue = false;
  let isClosed = false;
  const report = (next: string | undefined) => {
    if (next !== problem) onFolderProblem(next);
    problem = next;
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(run, ms).unref();
  };
  const run = () => {
    if (running !== undefined) return schedule(settleMs);
    isDue = false;
    running = deliver()
      .catch((error: unknown) => {
        if (isClosed) return;
        onError(error);
        schedule(retryMs);
      })
      .finally(() => {
        running = undefined;
      });
  };
  const deliver = async () => {
    const files = await read().catch((error: unknown) => String(error));
    if (isClosed) return;
    if (typeof files === 'string') {
      report(`cannot be read (${files})`);
      return schedule(retryMs);
    }
    report(hasQueries(files) ? undefined : noQueries);
    if (problem === undefined) await onChange(files);
  };
  const look = () => {
    if (isDue) return;
    isDue = true;
    schedule(settleMs);
  };
  let endWatch: (() => unknown) | undefined;
  let watchTimer: NodeJS.Timeout | undefined;
  const follow = async () => {
    try {
      endWatch = await source.watch?.(look);
      if (isClosed) await endWatch?.();
    } catch (error) {
      if (!isClosed) retryFollow(error);
    }
  };
  const retryFollow = (error: unknown) => {
    onError(error);
    // Changes until then are read.
    watchTimer = setTimeout(() => follow().then(look), retryMs).unref();
  };
  follow();
  return {
    look,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(watchTimer);
      await endWatch?.();
      await running;
    },
  };
}

const hasQueries = (files: CatalogFiles): boolean => [...files.keys()].some(isQueryPath);

/** @throws StartError with each that is something else */
function filesOf(texts: QueryTexts): CatalogFiles {
  const entries: readonly (readonly [string, unknown])[] =
    texts instanceof Map ? [...texts] : Object.entries(texts ?? {});
  const wrong = entries.filter(([name, text]) => !fileName.test(name) || typeof text !== 'string');
  if (wrong.length > 0)
    throw new StartError(
      'Saved queries cannot be read',
      wrong.map(([name]) => ({
        message: `queries: read gives ${JSON.stringify(name)}; it must give texts by names such as orders.sql and tables/orders.json`,
      })),
    );
  return new Map(
    entries
      .map(([name, text]) => [name, contentOf(String(text))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const fileName = /^(?:(?:(?:views|functions)\/(?:[^/]+\/)*)?[^/]+\.sql|tables\/[^/]+\.json)$/;
