import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../../errors.ts';
import type { CatalogFiles, FileContent } from './read-folder.ts';

/** A file's content, and the value that was parsed from it. */
export interface ParsedFile<T> {
  readonly content: FileContent;
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}

/** The files of all queries, or of all tables: what they say now, and what is served of them. */
export interface FileSet<T extends object> {
  /** By path; kept while the content stays the same. */
  parsed: ReadonlyMap<string, ParsedFile<T>>;
  /** The values that are served, by the path of their file. */
  served: ReadonlyMap<string, T>;
  /** The texts from which values were parsed. */
  readonly texts: WeakMap<T, string>;
  /** The lines of a query's aliases. */
  readonly aliasLines: WeakMap<T, readonly number[]>;
}

/** The files of the first version, without problems, by path. */
export function firstSet<T extends object>(files: CatalogFiles, served: ReadonlyMap<string, T>): FileSet<T> {
  const parsed = new Map<string, ParsedFile<T>>();
  const texts = new WeakMap<T, string>();
  for (const [path, value] of served) {
    const content = files.get(path);
    if (content === undefined) throw new Error(`no file ${path}`);
    parsed.set(path, { content, value, problems: [] });
    if ('text' in content) texts.set(value, content.text);
  }
  return { parsed, served, texts, aliasLines: new WeakMap<T, readonly number[]>() };
}

/** Parses the files whose content is another one. It takes some milliseconds each: other work is done in between. */
export async function parseChanged<T extends object>(
  set: FileSet<T>,
  files: readonly (readonly [string, FileContent])[],
  parse: (path: string, content: FileContent) => ParsedFile<T>,
): Promise<void> {
  const next = new Map<string, ParsedFile<T>>();
  for (const [path, content] of files) {
    const known = set.parsed.get(path);
    if (known !== undefined && isSameText(known.content, content)) {
      next.set(path, known);
      continue;
    }
    const served = set.served.get(path);
    if (served !== undefined && 'text' in content && set.texts.get(served) === content.text) {
      // The change was taken back.
      next.set(path, { content, value: served, problems: [] });
      continue;
    }
    await nextTurn();
    const parsed = parse(path, content);
    next.set(path, parsed);
    if (parsed.value !== undefined && 'text' in content) set.texts.set(parsed.value, content.text);
  }
  set.parsed = next;
}

const isSameText = (a: FileContent, b: FileContent) =>
  a === b || ('text' in a && 'text' in b && a.text === b.text);

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
