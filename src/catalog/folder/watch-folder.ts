import { type FSWatcher, type Stats, watch } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FileVersion, versionOf } from '../../files/file-version.ts';
import { identityOf } from '../../files/watch-path.ts';
import {
  type CatalogFiles,
  type FileContent,
  foldersOf,
  isQueryPath,
  listFolder,
  noQueries,
  readContent,
  statFile,
} from './read-folder.ts';

export interface WatchOptions {
  readonly folder: string;
  /** The files that are known already. */
  readonly known: CatalogFiles;
  /** Called with all files when some have changed, once two looks have found the same. It is called again if it rejects. */
  readonly onChange: (files: CatalogFiles) => Promise<void>;
  /** Called when the folder can't be used, and with undefined when it can again: until then nothing has changed. */
  readonly onFolderProblem: (problem: string | undefined) => void;
  readonly onError: (error: unknown) => void;
}

export interface FolderWatch {
  /** Looks for changes now, and calls `onChange` also without any: what could not be served may be possible now. */
  look(): void;
  /** Resolves when nothing is called any more. */
  close(): Promise<void>;
}

/** A change counts when it is still the same after this time: editors and copies write a file in several steps. */
const settleMs = 250;

/** Files that have settled wait no longer than this for others that go on changing. */
const longestWaitMs = 600;

/** Events of one change arrive together. */
const eventMs = 20;

const retryMs = 10_000;

/** Files that are looked at in one turn of the event loop, which takes about a quarter of a millisecond. */
const filesPerTurn = 100;

/**
 * File systems do not report all changes: those of other machines, and of what a link names. To look at a file takes some
 * microseconds, so that this is a few thousandths of a core, however many there are.
 */
const lookEveryMs = (files: number) => Math.min(5_000, Math.max(500, 4 * files));

interface SeenFile {
  /** undefined: it could not be looked at. */
  readonly version: FileVersion | undefined;
  readonly content: FileContent;
}

interface Change {
  /** undefined: the file is missing. */
  readonly content: FileContent | undefined;
  /** As `performance.now()`. */
  readonly since: number;
}

/** Follows the files of a queries folder by events of the file system, and by looking at them at intervals. */
export function watchFolder(options: WatchOptions): FolderWatch {
  const { folder, onChange, onError, onFolderProblem } = options;
  let delivered = options.known;
  let seen: ReadonlyMap<string, SeenFile> = new Map();
  let changes: ReadonlyMap<string, Change> = new Map();
  let problem: string | undefined;
  let retryAt: number | undefined;
  let isForced = false;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  const schedule = (ms: number) => {
    const at = performance.now() + ms;
    if (isClosed || at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(run, ms).unref();
  };
  const events = openEvents(folder, () => schedule(eventMs));
  events.follow(delivered);

  const look = async () => {
    events.follow(delivered);
    const files = await lookAt(folder, seen);
    const found = 'problem' in files ? files.problem : undefined;
    if (found !== problem) onFolderProblem(found);
    problem = found;
    if ('problem' in files) {
      changes = new Map();
      return;
    }
    const isUnchanged = isSameFiles(files.seen, seen) && changes.size === 0 && seen.size > 0;
    seen = files.seen;
    const now = performance.now();
    changes = isUnchanged ? changes : findChanges(delivered, seen, changes, now);
    const settled = [...changes].filter(([, { since }]) => now - since >= settleMs);
    const waitedMs = now - Math.min(now, ...[...changes.values()].map(({ since }) => since));
    const isDue = settled.length === changes.size || waitedMs >= longestWaitMs;
    if (settled.length > 0 && isDue) {
      delivered = withChanges(delivered, settled);
      changes = new Map([...changes].filter(([path]) => !settled.some(([other]) => other === path)));
      retryAt = now;
    }
    if (changes.size > 0) schedule(settleMs);
    else if (isForced) retryAt = now;
    if (changes.size === 0) isForced = false;
    if (retryAt === undefined || now < retryAt) return;
    retryAt = now + retryMs;
    await onChange(delivered);
    retryAt = undefined;
  };
  const run = () => {
    timerAt = Number.POSITIVE_INFINITY;
    if (running !== undefined) return schedule(eventMs);
    running = look()
      .catch((error: unknown) => {
        if (!isClosed) onError(error);
      })
      .finally(() => {
        running = undefined;
        schedule(lookEveryMs(seen.size));
      });
  };
  schedule(lookEveryMs(options.known.size));
  return {
    look() {
      isForced = true;
      schedule(0);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      events.close();
      await running;
    },
  };
}

type Look = { readonly seen: ReadonlyMap<string, SeenFile> } | { readonly problem: string };

async function lookAt(folder: string, before: ReadonlyMap<string, SeenFile>): Promise<Look> {
  let paths: readonly string[];
  try {
    paths = listFolder(folder);
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  const seen = new Map<string, SeenFile>();
  for (const [at, path] of paths.entries()) {
    if (at % filesPerTurn === filesPerTurn - 1) await nextTurn();
    const file = join(folder, path);
    const stats = statFile(file);
    if (stats === undefined || isMissing(stats)) continue;
    seen.set(path, seeFile(file, stats, before.get(path)));
  }
  // An empty folder is more likely one that is not mounted, or being replaced, than one whose queries were all removed.
  if (![...seen.keys()].some(isQueryPath)) return { problem: noQueries };
  return { seen };
}

const isMissing = (stats: Stats | Error) =>
  stats instanceof Error && 'code' in stats && stats.code === 'ENOENT';

function seeFile(file: string, stats: Stats | Error, before: SeenFile | undefined): SeenFile {
  const version = stats instanceof Error ? undefined : versionOf(stats);
  if (version !== undefined && before?.version?.id === version.id && !before.version.isYoung) return before;
  return { version, content: readContent(file, stats) };
}

/** `seeFile` gives the same object for a file that has not changed. */
function isSameFiles(a: ReadonlyMap<string, SeenFile>, b: ReadonlyMap<string, SeenFile>): boolean {
  if (a.size !== b.size) return false;
  for (const [path, file] of a) if (b.get(path) !== file) return false;
  return true;
}

function findChanges(
  delivered: CatalogFiles,
  seen: ReadonlyMap<string, SeenFile>,
  before: ReadonlyMap<string, Change>,
  now: number,
): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  for (const path of new Set([...delivered.keys(), ...seen.keys()])) {
    const content = seen.get(path)?.content;
    if (isSame(content, delivered.get(path))) continue;
    const known = before.get(path);
    changes.set(
      path,
      known !== undefined && isSame(known.content, content) ? known : { content, since: now },
    );
  }
  return changes;
}

function isSame(a: FileContent | undefined, b: FileContent | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return 'text' in a ? 'text' in b && a.text === b.text : 'problem' in b && a.problem === b.problem;
}

function withChanges(files: CatalogFiles, changes: readonly (readonly [string, Change])[]): CatalogFiles {
  const next = new Map(files);
  for (const [path, { content }] of changes) {
    if (content === undefined) next.delete(path);
    else next.set(path, content);
  }
  return new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Events of the folders of some files, each of which may be missing, or be replaced by another one. */
function openEvents(root: string, onEvent: () => void) {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  const closeOne = (folder: string) => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };
  const follow = (files: CatalogFiles) => {
    const folders = foldersOf([...files.keys()]).map((inner) => join(root, inner));
    for (const folder of watchers.keys()) if (!folders.includes(folder)) closeOne(folder);
    for (const folder of folders) {
      const identity = identityOf(folder);
      if (watchers.get(folder)?.identity === identity) continue;
      closeOne(folder);
      if (identity === undefined) continue;
      try {
        const watcher = watch(folder, { persistent: false }, onEvent);
        // Changes are also found without events.
        watcher.on('error', () => closeOne(folder));
        watchers.set(folder, { watcher, identity });
      } catch {
        // The limit of watches is reached, or the folder is gone again.
      }
    }
  };
  return {
    follow,
    close() {
      for (const folder of watchers.keys()) closeOne(folder);
    },
  };
}
