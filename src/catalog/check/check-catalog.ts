import type { Problem } from '../../errors.ts';
import {
  connectionFieldOf,
  pascalCase,
  reservedFields,
  reservedTypes,
  sqlFieldOf,
} from '../../names/graphql-names.ts';
import type { EnumParameter, SavedQuery } from '../model/saved-query.ts';
import { checkFederation } from './check-federation.ts';
import { checkReferences, checkVersions } from './check-versions.ts';
import { parseVersionName, pinnedName } from '../model/version-name.ts';
import { type PublicName, publicNames, seriesOf } from '../model/versions.ts';

/** The problems between files: conflicts, and references to queries that are not there. */
export function checkCatalog(queries: readonly SavedQuery[]): readonly Problem[] {
  return [...checkConflicts(queries), ...checkReferences(queries)];
}

/**
 * Conflicts between files: ids, GraphQL fields and types must be unique, and versions must fit together. Of two queries in
 * conflict, the later one has the problem.
 */
export function checkConflicts(queries: readonly SavedQuery[]): readonly Problem[] {
  return [
    ...checkFields(queries),
    ...checkIdsAndTypes(queries),
    ...checkVersions(queries),
    ...checkFederation(queries, (query) => [...typesOf(query), ...enumsOf(query).map((one) => one.enum)]),
  ];
}

/** A query's claim to a root field of GraphQL. */
interface FieldOwner extends PublicName {
  /** The part of the query that the field gives: its rows, SQL over it, or its pages. */
  readonly what: 'rows' | 'SQL' | 'pages';
  /** The index of the query that gets the problem if the field is taken. It may be another version, which has caused the field. */
  readonly blamed: number;
}

function checkFields(queries: readonly SavedQuery[]): readonly Problem[] {
  const blamedFor = blameOf(queries);
  const owners = publicNames({ queries }).flatMap((name): FieldOwner[] => {
    const { field, query } = name;
    const blamed = blamedFor(name);
    const own: FieldOwner = { ...name, what: 'rows', blamed };
    return [
      own,
      ...(query.querySandboxing === 'enabled'
        ? [{ ...own, field: sqlFieldOf(field), what: 'SQL' } as const]
        : []),
      ...(query.pages === undefined
        ? []
        : [{ ...own, field: connectionFieldOf(field), what: 'pages' } as const]),
    ];
  });
  const byField = Map.groupBy(owners, ({ field }) => field);
  return [...byField].flatMap(([field, [first, ...others]]) => {
    if (first === undefined) return [];
    const reserved = reservedFields.has(field)
      ? [
          {
            file: first.query.source.file,
            line: 1,
            message: `the GraphQL field ${field} is reserved for the catalog; choose another name`,
          },
        ]
      : [];
    // That two files are one version is a problem of their addresses.
    const conflicts = others.filter((other) => pinnedOf(other) !== pinnedOf(first));
    return [...reserved, ...conflicts.map((other) => fieldConflict(first, other, queries))];
  });
}

const pinnedOf = ({ query }: FieldOwner): string => pinnedName(parseVersionName(query.name));

/** A second version gives the first one a further field, with its number: conflicts of that field are problems of the second. */
function blameOf(queries: readonly SavedQuery[]): (name: PublicName) => number {
  const placeOf = new Map(queries.map((query, at) => [query, at]));
  const series = seriesOf(queries);
  return ({ isPinned, query }) => {
    const own = placeOf.get(query) ?? 0;
    const { base } = parseVersionName(query.name);
    const second = series.get(base)?.versions[1];
    return isPinned && query.name === base && second !== undefined
      ? Math.max(own, placeOf.get(second) ?? 0)
      : own;
  };
}

function fieldConflict(a: FieldOwner, b: FieldOwner, queries: readonly SavedQuery[]): Problem {
  const [earlier, later] = a.blamed <= b.blamed ? [a, b] : [b, a];
  const { file } = earlier.query.source;
  const { field } = later;
  const blamed = queries[later.blamed] ?? later.query;
  const whose = { rows: '', SQL: 'SQL over ', pages: 'the pages of ' };
  const message =
    later.what !== 'rows'
      ? `the GraphQL field of ${whose[later.what]}it, ${field}, is that of ${file}; choose another name`
      : earlier.what !== 'rows'
        ? `has the GraphQL field ${field}, which is that of ${whose[earlier.what]}${file}; choose another name`
        : `has the same GraphQL field as ${file}: ${field}`;
  return { file: blamed.source.file, line: 1, message };
}

function checkIdsAndTypes(queries: readonly SavedQuery[]): readonly Problem[] {
  const ids = new Map<string, string>();
  const resultTypes = new Map<string, string>();
  const timeScalars = scalarsOfTimes(queries);
  /** Of records: with what follows, they are types of the fields in them. */
  const recordTypes = new Set(queries.map((query) => `${pascalCase(query.name)}Row_`));
  const enums = new Map<string, { readonly parameter: EnumParameter; readonly file: string }>();
  return queries.flatMap((query) => {
    const { file } = query.source;
    const problems: Problem[] = [];
    const add = (message: string) => problems.push({ file, line: 1, message });

    const sameId = addName(ids, query.id, file);
    if (sameId !== undefined) add(`id ${query.id} is already used by ${sameId}`);

    for (const type of typesOf(query)) {
      addName(resultTypes, type, file);
      if (reservedTypes.has(type)) add(`its type ${type} is another type of the schema; choose another name`);
      const other = enums.get(type);
      if (other !== undefined) add(`its type ${type} is an enum of ${other.file}; choose another name`);
    }
    for (const parameter of enumsOf(query)) {
      const { name, enum: type } = parameter;
      if (reservedTypes.has(type) || resultTypes.has(type) || timeScalars.has(type)) {
        add(`parameters.${name}: ${type} is another type of the schema; choose another enum name`);
      }
      const record = prefixesOf(type).find((prefix) => recordTypes.has(prefix));
      if (record !== undefined) {
        add(
          `parameters.${name}: types that begin with ${record} are those of records; choose another enum name`,
        );
      }
      const other = enums.get(type);
      if (other === undefined) enums.set(type, { parameter, file });
      else if (!sameValues(parameter, other.parameter)) {
        add(`parameters.${name}: enum ${type} has different values in another file`);
      }
    }
    return problems;
  });
}

/** Of its rows, its result, its row arguments and its pages. */
function typesOf({ name, rowArguments, pages }: SavedQuery): readonly string[] {
  const suffixes = [
    ...['Row', 'Result'],
    ...(rowArguments === undefined
      ? []
      : ['Where', 'OrderBy', 'Aggregates', 'Sums', 'Averages', 'Minimums', 'Maximums']),
    ...(pages === undefined ? [] : ['Connection', 'Edge']),
  ];
  return suffixes.map((suffix) => pascalCase(name) + suffix);
}

/** The prefixes that the name of a type has if it is the type of a record. */
const prefixesOf = (type: string): readonly string[] =>
  [...type.matchAll(/Row_/g)].map(({ index }) => type.slice(0, index + 'Row_'.length));

/** The types that a schema has only if a query has such a parameter. */
function scalarsOfTimes(queries: readonly SavedQuery[]): ReadonlySet<string> {
  const types = queries.flatMap(({ parameters }) => parameters.map(({ type }) => type));
  return new Set([
    ...(types.includes('date') ? ['Date'] : []),
    ...(types.includes('datetime') ? ['LocalDateTime'] : []),
  ]);
}

/** @returns the file that has the name already */
function addName(names: Map<string, string>, name: string, file: string): string | undefined {
  const known = names.get(name);
  if (known === undefined) names.set(name, file);
  return known;
}

function enumsOf(query: SavedQuery): readonly EnumParameter[] {
  return query.parameters.filter((parameter) => parameter.type === 'enum');
}

function sameValues(a: EnumParameter, b: EnumParameter): boolean {
  // Other spellings are not part of the GraphQL type that the queries share.
  const typeOf = ({ values }: EnumParameter) =>
    values.map(({ value, name, description }) => [value, name, description]);
  return JSON.stringify(typeOf(a)) === JSON.stringify(typeOf(b));
}
