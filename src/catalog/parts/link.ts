import { problemAt, problemOf } from '@querygate/bigquery-sql/problem';
import { drawsValues, type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import type { ListedView } from '@querygate/bigquery-sql/tree';
import { sameName } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import { distinctProblems, type Problem } from '../../errors.ts';
import { once } from '../../memoize.ts';
import { headerless, type Link, type LinkedSql, type QueryFile, unlinked } from '../header/link.ts';
import type { PartSql } from '../model/saved-query.ts';
import { Assembly, quote, TooLong } from './assembly.ts';
import { buildClosures, type Closures, ownFunctions, type Reads, unreadable } from './closure.ts';
import { freshNames } from './fresh-names.ts';
import type { Library } from './library.ts';
import { joinSegments } from './linked-text.ts';
import { type Unit, unitOf } from './part-file.ts';
import { type TakenParameter, takenParameters } from './taken-parameters.ts';
import { viewColumns } from './view-columns.ts';

/** BigQuery takes no longer text. */
const maxLength = 1024 * 1024;

export interface Linker {
  readonly link: Link;
  /** The parameters that the parts which a text reads take of it. */
  readonly taken: (query: QueryFile) => readonly TakenParameter[];
  /** The texts of all files that the text of a saved query reads: if they are equal, so is its SQL. */
  textsOf(path: string): readonly string[];
  /** The problems of names in the parts of the library. */
  readonly problems: () => readonly Problem[];
  /** The parts that neither another one nor a query that has been linked reads, as queries by themselves. */
  readonly unread: () => readonly PartSql[];
  /** A part as a query by itself; none if it has no meaning by itself. */
  readonly asQuery: (unit: Unit) => readonly PartSql[];
}

/** Links saved queries with the parts of a library. */
export function buildLinker(library: Library): Linker {
  const { readsOf, closureOf } = buildClosures(library);
  const units = () => [...library.parts.values()].flatMap((file) => file.units);
  const unitIn = (query: QueryFile): Unit | undefined => {
    if (!library.mayName(query.sql)) return undefined;
    const known = library.fileAt(`${query.name}.sql`);
    const isKnown = known?.fileText === query.text && known.problems.length === 0;
    const unit = (isKnown && known.units[0]) || unitOf(query.name, query.file, query.text, query);
    // The compiler reports the mistakes in its syntax.
    return 'kind' in unit ? unit : undefined;
  };
  const linkUnit = (unit: Unit): Omit<LinkedSql, 'passed'> => {
    const { units, problems } = closureOf(unit);
    const all = [...problems, ...captureProblems(unit, units, readsOf), ...drawProblems(units, closureOf)];
    const isOwnText = units.length <= 1 && unit.tree.kind === 'Statement';
    if (!isOwnText && all.length === 0) return assembled(unit, units, readsOf);
    return { sql: unit.text, source: { file: unit.file, line: unit.line }, problems: all };
  };
  const listsViews = (unit: Unit) => closureOf(unit).units.some(readsInformationSchema);
  const views = () => units().filter(({ kind }) => kind === 'view');
  const listed = (view: Unit): ListedView => {
    const { name, file, tree } = view;
    if (viewColumns(tree) === undefined) return { name, sql: linkUnit(view).sql };
    // Its query alone does not have the names in its list of columns.
    const sql = `SELECT * FROM ${quote(name)}`;
    const reader = unitOf('', file, sql, headerless(sql, 1, []));
    return { name, sql: 'kind' in reader ? linkUnit(reader).sql : sql };
  };
  const listedViews = once(() => views().map(listed));
  const read = new Set<Unit>();
  const noteReads = (unit: Unit) => {
    const { tables, functions } = readsOf(unit);
    for (const part of [...tables, ...functions]) read.add(part.unit);
  };
  const asQuery = (unit: Unit): readonly PartSql[] => {
    if (unit.kind !== 'function') return [byItself(unit, linkUnit(unit))];
    const { problems } = closureOf(unit);
    if (problems.length > 0)
      return [{ sql: unit.text, source: { file: unit.file, line: unit.line }, parameters: [], problems }];
    const fresh = freshNames(closureOf(unit).units);
    const segments = new Assembly(readsOf, fresh, maxLength).callOf(unit);
    if (segments === undefined) return [];
    const { sql, written } = joinSegments(segments, fresh.written);
    return [{ sql, source: { file: unit.file, line: 1, written }, parameters: [], problems }];
  };
  return {
    asQuery,
    unread() {
      for (const unit of units()) noteReads(unit);
      return units()
        .filter((unit) => !read.has(unit))
        .flatMap(asQuery);
    },
    problems: () => [...closureOf(...units()).problems, ...drawProblems(units(), closureOf)],
    taken(query) {
      const unit = unitIn(query);
      return unit === undefined ? [] : takenParameters(readsOf(unit).tables);
    },
    link(query) {
      const unit = unitIn(query);
      if (unit === undefined) return unlinked(query);
      noteReads(unit);
      return {
        ...linkUnit(unit),
        ...(listsViews(unit) && { listedViews: listedViews() }),
        passed: passedNames(unit, readsOf(unit)),
      };
    },
    textsOf(path) {
      const [unit] = library.fileAt(path)?.units ?? [];
      if (unit === undefined) return [];
      const read = closureOf(unit, ...(listsViews(unit) ? views() : [])).units;
      return read.flatMap((part) => [part.fileText, ...readsOf(part).brokenTexts]);
    },
  };
}

/** A query or a view that nothing reads, with what would keep others from reading it. */
function byItself(unit: Unit, { sql, source, problems }: Omit<LinkedSql, 'passed'>): PartSql {
  const wrong = unreadable(unit);
  const own = wrong ? [problemAt(unit.text, unit, wrong.place.start, wrong.message)] : [];
  return { sql, source, parameters: unit.parameters, problems: [...problems, ...own] };
}

/** The text of a unit with those that it reads. */
function assembled(
  unit: Unit,
  units: readonly Unit[],
  readsOf: Closures['readsOf'],
): Omit<LinkedSql, 'passed'> {
  const source = { file: unit.file, line: unit.line };
  try {
    const fresh = freshNames(units);
    const assembly = new Assembly(readsOf, fresh, maxLength);
    const { segments, tables, materialized, definitions } = assembly.link(unit);
    const { sql, written } = joinSegments(segments, fresh.written);
    if (sql.length > maxLength) throw new TooLong();
    const linked = { hiddenTables: tables, materializedTables: materialized, definitions };
    return { sql, source: { ...source, written }, ...linked, problems: [] };
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    const message = `its SQL with all that it reads has more than ${maxLength} characters, which BigQuery does not take`;
    return { sql: unit.text, source, problems: [problemOf(source, message)] };
  }
}

/** A part that draws random values has other rows for each of its readers. */
const drawProblems = (units: readonly Unit[], closureOf: Closures['closureOf']): readonly Problem[] =>
  distinctProblems(
    units
      .filter(({ isMaterialized }) => isMaterialized)
      .flatMap((part) =>
        closureOf(part).units.flatMap((unit) =>
          drawsOf(unit).map(([name, { start }, cure = '']) => {
            const message = `${name} gives each reader other values, so that ${part.name} cannot be computed once for all: remove materialize from ${part.file}${cure}`;
            return problemAt(unit.text, unit, start, message);
          }),
        ),
      ),
  );

/** The draws of random values in a text, and in the functions that it defines and calls, with their places. */
function drawsOf(unit: Unit): readonly (readonly [name: string, place: Syntax.Node, cure?: string])[] {
  const uncalled = new Map(ownFunctions(unit));
  const own = new Set(uncalled.keys());
  const draws: [string, Syntax.Node, string?][] = [];
  const enter = (node: Syntax.Node) => {
    if (node.kind === 'SampleSpec') draws.push(['TABLESAMPLE', node]);
    if (node.kind === 'CreateFunction' && drawsValues(node))
      draws.push([`the JavaScript of ${nameOf(node)}`, node.name, ', or declare the function DETERMINISTIC']);
    if (node.kind !== 'FunctionCall') return;
    const name = foldName(nameOf(node));
    const called = uncalled.get(name);
    uncalled.delete(name);
    if (called) walk(called, enter);
    if (/^(?:safe\.)?(?:rand|generate_uuid)$/.test(name) && !own.has(name))
      draws.push([name.replace('safe.', '').toUpperCase(), node.name]);
  };
  const { tree } = unit;
  for (const root of tree.kind === 'Statement' ? [...tree.script, tree.query] : [tree]) walk(root, enter);
  return draws;
}

const nameOf = ({ name }: Syntax.FunctionCall | Syntax.CreateFunction): string =>
  name.parts.map((part) => part.name).join('.');

const readsInformationSchema = ({ names }: Unit): boolean =>
  names.tables.some(({ path: { parts } }) => sameName(parts.at(-2)?.name ?? '', 'INFORMATION_SCHEMA'));

/** The parameters of a reader that pass on by their names. */
const passedNames = (unit: Unit, { tables }: Reads) =>
  takenParameters(tables).flatMap(({ name, isBound }) =>
    isBound ? [] : unit.parameters.filter((own) => sameName(own.name, name)).map((own) => own.name),
  );

/**
 * The names of a reader that would mean something else in its parts: WITH RECURSIVE shows the names of its tables to all
 * of them, and a query its functions to all of its text.
 */
function captureProblems(
  reader: Unit,
  units: readonly Unit[],
  readsOf: Closures['readsOf'],
): readonly Problem[] {
  const { tree } = reader;
  const tables = tree.kind !== 'CreateFunction' && tree.query.with?.recursive ? tree.query.with.tables : [];
  const functions = tree.kind === 'Statement' ? tree.functions : [];
  const parts = units.filter((unit) => unit !== reader);
  const problem = ({ name, start }: Syntax.Identifier, what: string) =>
    problemAt(reader.text, reader, start, `${name} is also ${what}: give this one another name`);
  return [
    ...tables.flatMap(({ name }) => {
      const part = parts.find((unit) =>
        unit.names.tables.some(({ node }) => node.kind === 'Table' && isNamed(node.path, name)),
      );
      const what = `a table that ${part?.file} reads, which WITH RECURSIVE would hide from it`;
      return part === undefined ? [] : [problem(name, what)];
    }),
    ...functions.flatMap((definition) => {
      const [name] = definition.name.parts;
      const part = parts.find((unit) =>
        callsOutside(unit, readsOf(unit)).some((path) => isNamed(path, name)),
      );
      const what = `a function that ${part?.file} calls, which would be this one there`;
      return part === undefined ? [] : [problem(name, what)];
    }),
  ];
}

const isNamed = ({ parts: [first, ...rest] }: Syntax.Path, { name }: Syntax.Identifier): boolean =>
  rest.length === 0 && sameName(first.name, name);

/** The names of functions that neither a unit nor the library defines. */
function callsOutside(unit: Unit, { functions }: Reads): readonly Syntax.Path[] {
  const own = ownFunctions(unit);
  const known = new Set(functions.map(({ node }) => node));
  return unit.names.calls
    .filter((node) => !known.has(node) && !own.has(foldName(node.name.parts[0].name)))
    .map(({ name }) => name);
}
