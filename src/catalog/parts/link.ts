import { problemAt, problemOf } from '@querygate/bigquery-sql/problem';
import { sameName } from '@querygate/bigquery-sql/types';
import { distinctProblems, type Problem } from '../../errors.ts';
import type { PartSql } from '../model/saved-query.ts';
import { type Link, type LinkedSql, type QueryFile, unlinked } from '../header/link.ts';
import { Assembly, TooLong } from './assembly.ts';
import { buildClosures, type Closures, type Reads } from './closure.ts';
import { freshNames } from './fresh-names.ts';
import type { Library } from './library.ts';
import { joinSegments } from './linked-text.ts';
import { type Unit, unitOf } from './part-file.ts';
import { type TakenParameter, takenParameters } from './taken-parameters.ts';

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
    const own = { sql: unit.text, source: { file: unit.file, line: unit.line } };
    const { units, problems } = closureOf(unit);
    const all = [...problems, ...captureProblems(unit, units), ...drawProblems(units, closureOf)];
    const isOwnText = units.length <= 1 && unit.tree.kind === 'Statement';
    if (isOwnText || all.length > 0) return { ...own, problems: all };
    try {
      const fresh = freshNames(units);
      const assembly = new Assembly(readsOf, fresh, maxLength);
      const { segments, tables, materialized, definitions } = assembly.link(unit);
      const { sql, written } = joinSegments(segments, fresh.written);
      if (sql.length > maxLength) throw new TooLong();
      const linked = { hiddenTables: tables, materializedTables: materialized, definitions };
      return { sql, source: { ...own.source, written }, ...linked, problems: [] };
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      const message = `its SQL with all that it reads has more than ${maxLength} characters, which BigQuery does not take`;
      return { ...own, problems: [problemOf(own.source, message)] };
    }
  };
  const read = new Set<Unit>();
  const noteReads = (unit: Unit) => {
    const { tables, functions } = readsOf(unit);
    for (const part of [...tables, ...functions]) read.add(part.unit);
  };
  const asQuery = (unit: Unit): readonly PartSql[] => {
    if (unit.kind !== 'function') {
      const { sql, source } = linkUnit(unit);
      return [{ sql, source, parameters: unit.parameters }];
    }
    const fresh = freshNames(closureOf(unit).units);
    const segments = new Assembly(readsOf, fresh, maxLength).callOf(unit);
    if (segments === undefined) return [];
    const { sql, written } = joinSegments(segments, fresh.written);
    return [{ sql, source: { file: unit.file, line: 1, written }, parameters: [] }];
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
      return { ...linkUnit(unit), passed: passedNames(unit, readsOf(unit)) };
    },
    textsOf(path) {
      const [unit] = library.fileAt(path)?.units ?? [];
      if (unit === undefined) return [];
      const { units } = closureOf(unit);
      return units.flatMap((part) => [part.fileText, ...readsOf(part).brokenTexts]);
    },
  };
}

/** A part that draws random values has other rows for each of its readers. */
const drawProblems = (units: readonly Unit[], closureOf: Closures['closureOf']): readonly Problem[] =>
  distinctProblems(
    units
      .filter(({ isMaterialized }) => isMaterialized)
      .flatMap((part) =>
        closureOf(part).units.flatMap((unit) =>
          unit.names.calls
            .filter(({ name: { parts } }) => /^(?:rand|generate_uuid)$/i.test(parts.at(-1)?.name ?? ''))
            .map(({ name: { parts, start } }) => {
              const name = parts.at(-1)?.name.toUpperCase();
              const message = `${name} gives each reader other values, so that ${part.name} cannot be computed once for all: remove materialize from ${part.file}`;
              return problemAt(unit.text, unit, start, message);
            }),
        ),
      ),
  );

/** The parameters of a reader that pass on by their names. */
const passedNames = (unit: Unit, { tables }: Reads) =>
  takenParameters(tables).flatMap(({ name, isBound }) =>
    isBound ? [] : unit.parameters.filter((own) => sameName(own.name, name)).map((own) => own.name),
  );

/**
 * WITH RECURSIVE shows its names to all of its tables, also to those of the parts: a table that a part reads must not be
 * one of them.
 */
function captureProblems(reader: Unit, units: readonly Unit[]): readonly Problem[] {
  const { tree } = reader;
  const own = tree.kind !== 'CreateFunction' && tree.query.with?.recursive ? tree.query.with.tables : [];
  return own.flatMap(({ name }) => {
    const capturing = units.find(
      (unit) =>
        unit !== reader &&
        unit.names.tables.some(
          ({ node }) =>
            node.kind === 'Table' &&
            node.path.parts.length === 1 &&
            sameName(node.path.parts[0].name, name.name),
        ),
    );
    if (capturing === undefined) return [];
    const message = `${name.name} is also a table that ${capturing.file} reads, which WITH RECURSIVE would hide from it: give this one another name`;
    return problemAt(reader.text, reader, name.start, message);
  });
}
