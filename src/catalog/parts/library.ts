import { basename, join } from 'node:path';
import { didYouMean, foldName } from '@querygate/text';
import type { Problem } from '../../errors.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { BrokenNames } from './broken-names.ts';
import { NameIndex } from './name-index.ts';
import { type PartFile, parseDefinitionFile, parseQueryPart, queryDataset, type Unit } from './part-file.ts';

/** The part that has a name, or why no part can be read by it; undefined: it is not the name of a part. */
export type Found =
  | { readonly unit: Unit }
  | { readonly message: string }
  | { readonly broken: PartFile }
  | undefined;

/** The queries, views and functions of a folder that other queries can read. */
export interface Library {
  /** @param path the parts of a name in FROM */
  tableNamed(path: readonly string[]): Found;
  functionNamed(path: readonly string[]): Found;
  /** False if a text cannot name a part. */
  mayName(sql: string): boolean;
  /** The names of the tables that queries can read. */
  tableNames(): readonly string[];
  /** The names of the functions of the folder. */
  functionNames(): readonly string[];
  /** The files that are only parts. */
  readonly parts: PartFiles;
  /** The files that have been read. */
  readonly files: PartFiles;
  /** A file by its path, which may be that of a saved query. */
  fileAt(path: string): PartFile | undefined;
}

/** By path. */
export type PartFiles = ReadonlyMap<string, PartFile>;

/** The texts of the files of a folder by their paths. */
type Texts = ReadonlyMap<string, string>;

/** The files of a folder that a library is made of. */
interface LibraryFiles {
  /** Of queries, views and functions. */
  readonly texts: Texts;
  /** The paths of tables. */
  readonly tables: readonly string[];
}

/**
 * Reads the parts among the files of a folder, some milliseconds each: a step for each.
 *
 * @param before the files as they were: those that have become wrong keep their units
 */
export function* librarySteps(
  folder: string,
  { texts, tables }: LibraryFiles,
  before: PartFiles = new Map(),
): Generator<void, Library> {
  const files = new Map<string, PartFile>();
  const paths = queryPaths(texts);
  const fileAt = (path: string): PartFile | undefined => {
    const text = texts.get(path);
    if (text === undefined) return undefined;
    const known = files.get(path);
    if (known !== undefined) return known;
    const old = before.get(path);
    const file = old?.fileText === text && old.problems.length === 0 ? old : parseFile(folder, path, text);
    const kept = file.problems.length > 0 && old ? { ...file, units: old.units } : file;
    files.set(path, kept);
    return kept;
  };
  for (const [path, text] of texts) {
    if (!mayBePart(path, text)) continue;
    if (before.get(path)?.fileText !== text) yield;
    fileAt(path);
  }
  const tableFiles = new Map(tables.map((path) => [foldName(basename(path, '.json')), join(folder, path)]));
  const { views, functions } = chooseNames(files, tableFiles, before);
  const parts = new Map<string, PartFile>();
  const broken = new BrokenNames();
  for (const [path, file] of files) {
    if (!file.isPart) continue;
    broken.add(file);
    const first = paths.get(nameOf(path));
    const isSecond = !path.includes('/') && first !== undefined && first !== path;
    const sameName = isSecond ? [sameFileName(join(folder, path), join(folder, first))] : [];
    // Queries read such a view, which was there before the table.
    const ofTables = file.units.flatMap((unit) => nameOfTable(unit, tableFiles) ?? []);
    parts.set(path, { ...file, problems: [...file.problems, ...ofTables, ...sameName] });
  }
  const queryNames = () =>
    [...texts.keys()].flatMap((path) => (path.includes('/') ? [] : [`query.${basename(path, '.sql')}`]));
  return {
    parts,
    files,
    tableNames: () => [...queryNames(), ...views.names()],
    functionNames: () => functions.names(),
    fileAt,
    mayName: (sql) => views.size + functions.size + broken.size > 0 || /\bquery\b/i.test(sql),
    tableNamed(path) {
      const [first = '', ...rest] = path;
      if (first.toLowerCase() !== queryDataset || rest.length === 0)
        return (
          only(path, views.find(path)) ??
          (tableFiles.has(foldName(path.join('.'))) ? undefined : broken.find('table', path))
        );
      const name = nameOf(rest.join('.'));
      const file = fileAt(paths.get(`${name}.sql`) ?? '');
      const [unit] = file?.units ?? [];
      if (unit) return { unit };
      if (file) return { broken: file };
      const meant =
        (paths.has(name) ? `; did you mean query.${basename(name, '.sql')}?` : '') ||
        didYouMean(`query.${name}`, queryNames()) ||
        '; a table of a data set named query has its project before it';
      return { message: `no saved query is named ${rest.join('.')}${meant}` };
    },
    // SAFE is not a project: BigQuery takes it before its own functions only.
    functionNamed: (path) =>
      /^safe$/i.test(path[0] ?? '')
        ? undefined
        : (only(path, functions.find(path)) ?? broken.find('function', path)),
  };
}

/**
 * Gives each name to one definition: to the one that had it before, else to the table, else to the first. A file with
 * another one has a problem; it keeps the units that it had, or the others if it is new.
 *
 * @param tableFiles by the names of the tables in lower case
 */
function chooseNames(
  files: Map<string, PartFile>,
  tableFiles: ReadonlyMap<string, string>,
  before: PartFiles,
): { readonly views: NameIndex; readonly functions: NameIndex } {
  const keyOf = (path: string, { kind, name }: Unit) => `${path} ${kind} ${foldName(name)}`;
  const served = new Set([...before].flatMap(([path, { units }]) => units.map((unit) => keyOf(path, unit))));
  for (;;) {
    const [views, functions] = [new NameIndex(), new NameIndex()];
    const refused = new Map<string, Map<Unit, Problem>>();
    const all = [...files].flatMap(([path, { units }]) =>
      units.map((unit) => ({ path, unit, isServed: served.has(keyOf(path, unit)) })),
    );
    for (const { path, unit, isServed } of all.sort((a, b) => Number(b.isServed) - Number(a.isServed))) {
      if (unit.kind === 'query') continue;
      const table = isServed ? undefined : nameOfTable(unit, tableFiles);
      const index = unit.kind === 'view' ? views : functions;
      const other = table === undefined ? index.add(unit.name.split('.'), unit) : undefined;
      const problem = table ?? (other && repetition(unit, other));
      if (problem !== undefined) getOrAdd(refused, path, () => new Map()).set(unit, problem);
    }
    if (refused.size === 0) return { views, functions };
    for (const [path, wrong] of refused) {
      const { units, problems, ...file } = files.get(path) as PartFile;
      const old = before.get(path)?.units;
      const kept = old && old !== units ? old : units.filter((unit) => !wrong.has(unit));
      files.set(path, { ...file, units: kept, problems: [...problems, ...wrong.values()] });
    }
  }
}

function parseFile(folder: string, path: string, text: string): PartFile {
  const file = join(folder, path);
  if (!path.includes('/')) return parseQueryPart(basename(path, '.sql'), file, text);
  return parseDefinitionFile(file, text);
}

/** The name of a file in SQL, which knows no case; some file systems take letters apart from their accents. */
const nameOf = (path: string): string => path.toLowerCase().normalize('NFC');

/** The files of queries by their names in SQL: of several with one name that in lower case. */
function queryPaths(texts: Texts): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const path of texts.keys()) {
    const name = nameOf(path);
    if (!path.includes('/') && (path === name || !paths.has(name))) paths.set(name, path);
  }
  return paths;
}

const sameFileName = (file: string, other: string): Problem => ({
  file,
  message: `has the name of ${other}, as FROM knows no case: give it another one`,
});

/** False for most saved queries, without a look at their headers. */
const mayBePart = (path: string, text: string): boolean =>
  path.includes('/') || /(?:^|[{,])\s*["']?serve["']?\s*:/m.test(text.slice(0, text.indexOf('---*/')));

function repetition(unit: Unit, other: Unit): Problem {
  return { file: unit.file, line: unit.line, message: `${unit.name} is already defined in ${other.file}` };
}

function nameOfTable(
  { kind, name, file, line }: Unit,
  tableFiles: ReadonlyMap<string, string>,
): Problem | undefined {
  const table = kind === 'view' ? tableFiles.get(foldName(name)) : undefined;
  if (table === undefined) return undefined;
  const message = `${name} is also the table of ${table}: give the view another name, or a data set`;
  return { file, line, message };
}

function only(path: readonly string[], [unit, another]: readonly Unit[]): Found {
  if (!unit || path.length > 3) return undefined;
  if (!another) return { unit };
  return {
    message: `${path.join('.')} is ${unit.name} in ${unit.file} and ${another.name} in ${another.file}: write its project`,
  };
}
