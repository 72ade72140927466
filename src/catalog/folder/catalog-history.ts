import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../../errors.ts';
import { checkAddresses } from '../check-addresses.ts';
import { checkCatalog } from '../check-catalog.ts';
import { parseCatalog, parseQueryFile } from '../load-catalog.ts';
import type { Catalog, SavedQuery } from '../saved-query.ts';
import { duplicateTables, parseTableFile } from '../tables/load-tables.ts';
import type { TableSchema } from '../tables/table-schema.ts';
import { type CatalogFiles, type FileContent, isTablePath } from './read-folder.ts';

/** A file that is not served as it is. */
export interface BrokenFile {
  /** As messages show it. */
  readonly file: string;
  readonly problems: readonly Problem[];
  /** Whether an earlier version of it is served. */
  readonly isServed: boolean;
  /** When it was found to be broken first. */
  readonly since: Date;
}

/** Finds queries that cannot run, with their problems. */
export type CheckQueries = (catalog: Catalog) => Promise<ReadonlyMap<SavedQuery, readonly Problem[]>>;

/** Fills in what the headers of queries leave to their SQL. The queries keep their order. */
export interface CompleteCatalog {
  (catalog: Catalog): Catalog;
  /** The same while other work of the process is done in between. */
  readonly inTurns: (catalog: Catalog) => Promise<Catalog>;
}

const asWritten: CompleteCatalog = Object.assign((catalog: Catalog) => catalog, {
  inTurns: async (catalog: Catalog) => catalog,
});

/** A version of the catalog that can be served. */
export interface CatalogProposal {
  readonly catalog: Catalog;
  readonly broken: readonly BrokenFile[];
  /** Call it once the version is served. */
  accept(): void;
}

/** The versions of a catalog: of each file the last good one is served. */
export interface CatalogHistory {
  readonly catalog: Catalog;
  /** The version that serves as much of the files as possible. A query whose file has not changed stays the same object. */
  propose(files: CatalogFiles, check: CheckQueries): Promise<CatalogProposal>;
}

/** What a file says. */
interface Parsed<T> {
  readonly content: FileContent;
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}

interface Part<T extends object> {
  /** By path; kept while the content stays the same. */
  parsed: ReadonlyMap<string, Parsed<T>>;
  /** What is served, by the path of its file. */
  served: ReadonlyMap<string, T>;
  /** The texts from which values were parsed. */
  readonly texts: WeakMap<T, string>;
  /** The lines of a query's aliases. */
  readonly aliasLines: WeakMap<T, readonly number[]>;
}

interface State {
  readonly queries: Part<SavedQuery>;
  readonly tables: Part<TableSchema>;
}

/** @throws StartError with every problem of every file: a first version must be without any */
export function openHistory(
  folder: string,
  files: CatalogFiles,
  now: () => Date,
  complete: CompleteCatalog = asWritten,
): CatalogHistory {
  const first = parseCatalog(folder, files);
  let catalog = complete(first);
  let brokenSince: ReadonlyMap<string, Date> = new Map();
  const state: State = { queries: emptyPart(), tables: emptyPart() };
  for (const query of first.queries) addFirst(state.queries, `${query.name}.sql`, files, query);
  for (const table of first.tables) addFirst(state.tables, `tables/${table.name}.json`, files, table);

  return {
    get catalog() {
      return catalog;
    },
    async propose(next, check) {
      const pathsOf = (isTable: boolean) => [...next].filter(([path]) => isTablePath(path) === isTable);
      await parsePart(state.queries, pathsOf(false), (path, content) => {
        const parsed = parseQueryFile(join(folder, path), content);
        const { query: value, problems } = parsed;
        if (value !== undefined) state.queries.aliasLines.set(value, parsed.aliasLines);
        return { content, value, problems };
      });
      await parsePart(state.tables, pathsOf(true), (path, content) => {
        const { table: value, problems } = parseTableFile(join(folder, path), content);
        return { content, value, problems };
      });
      const choice = await choose(folder, state, catalog, { complete, check });
      const at = now();
      const since = new Map([...choice.refused.keys()].map((path) => [path, brokenSince.get(path) ?? at]));
      return {
        catalog: choice.catalog,
        broken: [...choice.refused].map(([path, problems]) => ({
          file: join(folder, path),
          problems,
          isServed: choice.queries.has(path) || choice.tables.has(path),
          since: since.get(path) ?? at,
        })),
        accept() {
          catalog = choice.catalog;
          brokenSince = since;
          state.queries.served = choice.queries;
          state.tables.served = choice.tables;
        },
      };
    },
  };
}

const emptyPart = <T extends object>(): Part<T> => ({
  parsed: new Map<string, Parsed<T>>(),
  served: new Map<string, T>(),
  texts: new WeakMap<T, string>(),
  aliasLines: new WeakMap<T, readonly number[]>(),
});

function addFirst<T extends object>(part: Part<T>, path: string, files: CatalogFiles, value: T): void {
  const content = files.get(path);
  if (content === undefined) throw new Error(`no file ${path}`);
  part.parsed = new Map([...part.parsed, [path, { content, value, problems: [] }]]);
  part.served = new Map([...part.served, [path, value]]);
  if ('text' in content) part.texts.set(value, content.text);
}

/** To parse a file takes some milliseconds: other work is done in between. */
async function parsePart<T extends object>(
  part: Part<T>,
  files: readonly (readonly [string, FileContent])[],
  parse: (path: string, content: FileContent) => Parsed<T>,
): Promise<void> {
  const next = new Map<string, Parsed<T>>();
  for (const [path, content] of files) {
    const known = part.parsed.get(path);
    if (known !== undefined && isSameText(known.content, content)) {
      next.set(path, known);
      continue;
    }
    const served = part.served.get(path);
    if (served !== undefined && 'text' in content && part.texts.get(served) === content.text) {
      // The change was taken back.
      next.set(path, { content, value: served, problems: [] });
      continue;
    }
    await nextTurn();
    const parsed = parse(path, content);
    next.set(path, parsed);
    if (parsed.value !== undefined && 'text' in content) part.texts.set(parsed.value, content.text);
  }
  part.parsed = next;
}

const isSameText = (a: FileContent, b: FileContent) =>
  a === b || ('text' in a && 'text' in b && a.text === b.text);

interface Choice {
  readonly catalog: Catalog;
  /** By path. */
  readonly queries: ReadonlyMap<string, SavedQuery>;
  readonly tables: ReadonlyMap<string, TableSchema>;
  /** The problems of the files that are not served as they are, by path. */
  readonly refused: ReadonlyMap<string, readonly Problem[]>;
}

/**
 * Chooses of each file the new version or the last good one: refuses what is in conflict or cannot run, until nothing is
 * left. All last good versions together are always possible.
 */
async function choose(
  folder: string,
  { queries, tables }: State,
  current: Catalog,
  { complete, check }: { readonly complete: CompleteCatalog; readonly check: CheckQueries },
): Promise<Choice> {
  const wrongQueries = problemsOf(queries);
  const refusedQueries = new Map(wrongQueries);
  const refusedTables = problemsOf(tables);
  for (;;) {
    const chosenTables = chooseTables(folder, tables, refusedTables);
    const chosen = newestOf(queries, refusedQueries);
    const conflicts = findConflicts(chosen, queries);
    if (conflicts.size > 0) {
      for (const [path, problems] of conflicts) refusedQueries.set(path, problems);
      continue;
    }
    const catalog = await complete.inTurns({
      queries: [...chosen.values()],
      tables: sameItems(current.tables, [...chosenTables.values()]),
    });
    const failing = failingQueries([...chosen.values()], catalog, await check(catalog));
    if (failing.size === 0) {
      const refused = new Map([...refusedQueries, ...refusedTables].sort(([a], [b]) => (a < b ? -1 : 1)));
      return { catalog, queries: chosen, tables: chosenTables, refused };
    }
    const failingFiles = [...chosen].filter(([, query]) => failing.has(query));
    const changed = failingFiles.filter(([path, query]) => queries.served.get(path) !== query);
    for (const [path, query] of changed) refusedQueries.set(path, failing.get(query) ?? []);
    if (changed.length > 0) continue;
    // Queries that did run cannot run any more: that is because of tables.
    const blamed = blameTables(failingFiles, failing, tables, chosenTables, folder);
    if (blamed.size === 0)
      throw new Error(`cannot run any more: ${failingFiles.map(([path]) => path).join()}`);
    for (const [path, problems] of blamed) refusedTables.set(path, problems);
    // They may have been refused because of the same tables.
    for (const path of refusedQueries.keys()) if (!wrongQueries.has(path)) refusedQueries.delete(path);
  }
}

/** The problems of queries as their files have them, by those of the completed ones. */
function failingQueries(
  written: readonly SavedQuery[],
  { queries }: Catalog,
  problems: ReadonlyMap<SavedQuery, readonly Problem[]>,
): ReadonlyMap<SavedQuery, readonly Problem[]> {
  return new Map(
    written.flatMap((query, at) => {
      const completed = queries[at];
      const own = completed && problems.get(completed);
      return own === undefined ? [] : [[query, own] as const];
    }),
  );
}

function problemsOf<T extends object>({ parsed }: Part<T>): Map<string, readonly Problem[]> {
  return new Map(
    [...parsed].flatMap(([path, { problems }]) => (problems.length > 0 ? [[path, problems] as const] : [])),
  );
}

/** Of each file the new version, or the last good one if the new one is refused and there was one. Ordered by path. */
function newestOf<T extends object>(
  { parsed, served }: Part<T>,
  refused: ReadonlyMap<string, readonly Problem[]>,
): Map<string, T> {
  return new Map(
    [...parsed].flatMap(([path, { value }]) => {
      const chosen = refused.has(path) || value === undefined ? served.get(path) : value;
      return chosen === undefined ? [] : [[path, chosen] as const];
    }),
  );
}

/** Also tables whose files are missing may be refused: not to be there. */
function chooseTables(
  folder: string,
  part: Part<TableSchema>,
  refused: Map<string, readonly Problem[]>,
): ReadonlyMap<string, TableSchema> {
  const kept = [...part.served].filter(([path]) => refused.has(path));
  const chosen = new Map([...kept, ...newestOf(part, refused)]);
  // Those that are served come first, so that the problem is that of another one.
  const paths = [...chosen.keys()].sort((a, b) => Number(part.served.has(b)) - Number(part.served.has(a)));
  const duplicates = new Map(
    duplicateTables(paths.map((path) => join(folder, path))).map((problem) => [problem.file, problem]),
  );
  for (const path of paths) {
    const problem = duplicates.get(join(folder, path));
    if (problem === undefined) continue;
    refused.set(path, [problem]);
    chosen.delete(path);
  }
  return new Map([...chosen].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Unchanged queries come first, so that the problem is that of a changed one. */
function findConflicts(
  chosen: ReadonlyMap<string, SavedQuery>,
  { served, aliasLines }: Part<SavedQuery>,
): ReadonlyMap<string, readonly Problem[]> {
  const isServed = ([path, query]: readonly [string, SavedQuery]) => served.get(path) === query;
  const ordered = [...chosen].sort((a, b) => Number(isServed(b)) - Number(isServed(a)));
  const pathOf = new Map(ordered.map(([path, { source }]) => [source.file, path]));
  const addressProblems = (queries: readonly SavedQuery[]) =>
    checkAddresses(queries.map((query) => ({ query, aliasLines: aliasLines.get(query) ?? [] })));
  const all = ordered.map(([, query]) => query);
  const problems = [...checkCatalog(all), ...addressProblems(all)];
  const found = Map.groupBy(problems, ({ file = '' }) => pathOf.get(file) ?? '');
  const ofChanged = [...found].filter(([path]) => served.get(path) !== chosen.get(path));
  if (found.size === 0 || ofChanged.length > 0) return new Map(ofChanged);
  // An alias of an unchanged query is the name of a changed one.
  const unchanged = ordered.filter(isServed).map(([, query]) => query);
  return new Map(
    ordered
      .filter((one) => !isServed(one))
      .flatMap(([path, query]) => {
        const [problem] = addressProblems([...unchanged, query]);
        if (problem === undefined) return [];
        const message = `is in conflict with ${problem.file}: ${problem.message}`;
        return [[path, [{ file: query.source.file, line: 1, message }]] as const];
      }),
  );
}

/** The changed and removed tables whose names occur in queries that cannot run with them; all of them if no name occurs. */
function blameTables(
  failingFiles: readonly (readonly [string, SavedQuery])[],
  failing: ReadonlyMap<SavedQuery, readonly Problem[]>,
  { served }: Part<TableSchema>,
  chosen: ReadonlyMap<string, TableSchema>,
  folder: string,
): ReadonlyMap<string, readonly Problem[]> {
  const changed = [...served].filter(([path, table]) => chosen.get(path) !== table);
  const readerOf = ({ name }: TableSchema) =>
    failingFiles.find(([, { sql }]) => sql.toLowerCase().includes(name.toLowerCase()))?.[1];
  const read = changed.filter(([, table]) => readerOf(table) !== undefined);
  return new Map(
    (read.length > 0 ? read : changed).map(([path, table]) => {
      const reader = readerOf(table) ?? failingFiles[0]?.[1];
      const [problem] = (reader && failing.get(reader)) ?? [];
      const why = `${reader?.source.file} cannot run ${chosen.has(path) ? 'with this version' : 'without it'}: ${problem?.message ?? ''}`;
      return [path, [{ file: join(folder, path), message: why }]];
    }),
  );
}

/** The same array if it has the same items: others compare it by identity. */
function sameItems<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return before.length === after.length && before.every((item, at) => item === after[at]) ? before : after;
}
