import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../../errors.ts';
import type { CatalogFiles, FileContent } from './read-folder.ts';

/** A file's content, and the value that was parsed from it. */
export interface ParsedFile<T> {
  readonly content: FileContent;
  /** The texts of other files that it reads. */
  readonly reads: readonly string[];
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}

/** The files of all queries, or of all tables: what they say now, and what is served of them. */
export interface FileSet<T extends object> {
  /** By path; kept while the content stays the same. */
  parsed: ReadonlyMap<string, ParsedFile<T>>;
  /** The values that are served, by the path of their file. */
  served: ReadonlyMap<string, T>;
  /** The texts from which values were parsed: of their files, and of those that these read. */
  readonly texts: WeakMap<T, readonly string[]>;
  /** The lines of a query's aliases. */
  readonly aliasLines: WeakMap<T, readonly number[]>;
}

/** The files of the first version, without problems, by path. */
export function firstSet<T extends object>(
  files: CatalogFiles,
  served: ReadonlyMap<string, T>,
  readsOf: (path: string) => readonly string[],
): FileSet<T> {
  const parsed = new Map<string, ParsedFile<T>>();
  const texts = new WeakMap<T, readonly string[]>();
  for (const [path, value] of served) {
    const content = files.get(path);
    if (content === undefined) throw new Error(`no file ${path}`);
    const reads = readsOf(path);
    parsed.set(path, { content, reads, value, problems: [] });
    if ('text' in content) texts.set(value, [content.text, ...reads]);
  }
  return { parsed, served, texts, aliasLines: new WeakMap<T, readonly number[]>() };
}

/** Files that are compared in one turn of the event loop, some microseconds each. */
const filesPerTurn = 100;

/** Parses the files whose content, or that of a file that they read, is another one. It takes some milliseconds each: other work is done in between. */
export async function parseChanged<T extends object>(
  set: FileSet<T>,
  files: readonly (readonly [string, FileContent])[],
  readsOf: (path: string) => readonly string[],
  parse: (path: string, content: FileContent) => Pick<ParsedFile<T>, 'value' | 'problems'>,
): Promise<void> {
  const next = new Map<string, ParsedFile<T>>();
  for (const [at, [path, content]] of files.entries()) {
    if (at % filesPerTurn === filesPerTurn - 1) await nextTurn();
    const known = set.parsed.get(path);
    if (known === undefined || !isSameText(known.content, content)) await nextTurn();
    const reads = readsOf(path);
    if (known !== undefined && isSameText(known.content, content) && isSameList(known.reads, reads)) {
      next.set(path, known);
      continue;
    }
    const served = set.served.get(path);
    const texts = 'text' in content ? [content.text, ...reads] : [];
    if (served !== undefined && 'text' in content && isSameList(set.texts.get(served), texts)) {
      // The change was taken back.
      next.set(path, { content, reads, value: served, problems: [] });
      continue;
    }
    await nextTurn();
    const parsed = { content, reads, ...parse(path, content) };
    next.set(path, parsed);
    if (parsed.value !== undefined && 'text' in content) set.texts.set(parsed.value, texts);
  }
  set.parsed = next;
}

const isSameText = (a: FileContent, b: FileContent) =>
  a === b || ('text' in a && 'text' in b && a.text === b.text);

const isSameList = (a: readonly string[] | undefined, b: readonly string[]) =>
  a?.length === b.length && a.every((text, at) => text === b[at]);

/** Of the files that cannot be parsed, by path. */
export function problemsOf<T extends object>({ parsed }: FileSet<T>): Map<string, readonly Problem[]> {
  return new Map(
    [...parsed].flatMap(([path, { problems }]) => (problems.length > 0 ? [[path, problems] as const] : [])),
  );
}

/** Of each file the new version, or the last good one if the new one is refused and there was one. Ordered by path. */
export function newestOf<T extends object>(
  { parsed, served }: FileSet<T>,
  refused: ReadonlyMap<string, readonly Problem[]>,
): Map<string, T> {
  return new Map(
    [...parsed].flatMap(([path, { value }]) => {
      const chosen = refused.has(path) || value === undefined ? served.get(path) : value;
      return chosen === undefined ? [] : [[path, chosen] as const];
    }),
  );
}
