import { isViewName } from '../rules/from/described-tables.ts';
import { openColumns } from '../rules/queries/outputs.ts';
import { column } from '../tree/build.ts';
import { forEachPart } from '../tree/map.ts';
import type { Column, Expression, From, Query, Select, SetOperation, Table } from '../tree/nodes.ts';
import { resultMembers } from '../tree/query-parts.ts';
import { collatedValues } from './collated-values.ts';
import { separateValues } from './separate-values.ts';
import { columnOf, equalToTenant, isParameter, type TenantParameter } from './tenant-conditions.ts';

/**
 * The tables whose rows a query does not restrict to one tenant: nothing that holds for all of their rows in the result
 * compares a value of the row with the parameter. A comparison counts if it is `=` (or REGEXP_CONTAINS with a pattern, or IN
 * UNNEST with a list), if it is joined to the other conditions by AND, and if it applies before rows are counted, numbered
 * or cut off, or to a value by which they are counted and numbered apart; it may stand in a query around the one that reads
 * the table, and may be with another value that is compared so. INFORMATION_SCHEMA has no values of a tenant.
 *
 * @param query before any pass
 */
export function unfilteredTables(query: Query, tenant: TenantParameter): readonly UnfilteredTable[] {
  const found = new Set<Table>();
  const guesses = new Map<Table, Set<string>>();
  const analysis: Analysis = {
    tenant,
    guess: (table, name) => void guesses.set(table, (guesses.get(table) ?? new Set()).add(name)),
    isCollated: collatedValues(query),
    unfiltered: (table) => void found.add(table),
  };
  for (const { table } of sourcesOf(query, { tables: new Map(), known: [] }, analysis)) found.add(table);
  return [...found].map((table) => ({ ...table, guesses: [...(guesses.get(table) ?? [])] }));
}

interface UnfilteredTable extends Table {
  /** Bare names that are compared with the parameter, and may be those of its columns, or of other items. */
  readonly guesses: readonly string[];
}

interface Analysis {
  readonly tenant: TenantParameter;
  /** True for a value by whose collation different tenants may be equal. */
  readonly isCollated: (value: Expression) => boolean;
  unfiltered(table: Table): void;
  guess(table: Table, name: string): void;
}

/** The common tables that a query may refer to, and the values that equal the tenant. */
interface Environment {
  readonly tables: ReadonlyMap<string, CommonSource>;
  /** Values of the queries around it that equal the tenant. */
  readonly known: readonly Expression[];
}

/** A common table. Its reads are found once: once for each of its readers, the work would grow exponentially. */
interface CommonSource {
  readonly query: Query;
  /** True if it reads itself. */
  readonly recursive: boolean;
  readonly environment: Environment;
  sources?: readonly Source[];
}

/** A table that is read without a filter so far. */
interface Source {
  readonly table: Table;
  /** The names of the columns that are values of the table's row. */
  readonly columns: ReadonlySet<string>;
}

function sourcesOf(query: Query, environment: Environment, analysis: Analysis): readonly Source[] {
  const sources = allSourcesOf(query, environment, analysis);
  // Without a column of the table, no query around this one can filter it any more.
  for (const { table, columns } of sources) if (columns.size === 0) analysis.unfiltered(table);
  const open = sources.filter(({ columns }) => columns.size > 0);
  // Equal ones are filtered by the same conditions.
  return [...new Map(open.map((source) => [keyOf(source), source])).values()];
}

const keyOf = ({ table, columns }: Source) => JSON.stringify([table.alias, ...[...columns].sort()]);

function allSourcesOf(query: Query, environment: Environment, analysis: Analysis): readonly Source[] {
  switch (query.kind) {
    case 'select':
      return sourcesOfSelect(query, environment, analysis);
    case 'set':
      return sourcesOfSet(query, environment, analysis);
    case 'with': {
      const tables = new Map(environment.tables);
      for (const { name, query: inner, recursive } of query.tables) {
        const own = new Map(tables);
        // A recursive table reads only what its first query and its own joins read.
        if (recursive) own.set(name, { query: noRows, recursive: false, environment });
        tables.set(name, { query: inner, recursive, environment: { ...environment, tables: own } });
      }
      return sourcesOf(query.body, { ...environment, tables }, analysis);
    }
  }
}

const noRows: Query = { kind: 'set', operator: 'UNION ALL', inputs: [] };

/** The columns of all inputs have the names of the first; those that are not known may have another order in another table. */
function sourcesOfSet(
  { operator, inputs }: SetOperation,
  environment: Environment,
  analysis: Analysis,
): readonly Source[] {
  const [first] = inputs;
  const names = first ? columnNames(first) : [];
  const openTables = new Set<string>();
  return inputs.flatMap((input) => {
    const own = columnNames(input);
    const sources = sourcesOf(input, environment, analysis);
    if (operator === 'INTERSECT' || operator === 'EXCEPT') return barred(sources, analysis);
    if (input === first)
      for (const { table, columns } of sources) if (columns.has(openColumns)) openTables.add(table.name);
    return sources.map(({ table, columns }) => ({
      table,
      columns: new Set(
        names.filter(
          (name, at) => columns.has(own[at] ?? '') && (name !== openColumns || openTables.has(table.name)),
        ),
      ),
    }));
  });
}

const columnNames = (query: Query): readonly string[] => resultMembers(query).map(({ name }) => name);

/** No query around this one can filter these tables any more. */
function barred(sources: readonly Source[], { unfiltered }: Analysis): readonly Source[] {
  for (const { table } of sources) unfiltered(table);
  return [];
}

function sourcesOfSelect(query: Select, environment: Environment, analysis: Analysis): readonly Source[] {
  const items = query.from ? itemsOf(query.from, environment, analysis) : [];
  const ownersOf = (value: Expression): ReadonlySet<Source> => {
    const column = columnOf(value);
    const item = column && items.find(({ alias }) => alias === column.from);
    if (!column || !item) return new Set();
    if (item.array) return ownersOf(item.array);
    return new Set(
      item.sources.filter(
        ({ columns, table }) =>
          columns.has(column.name) ||
          (columns.has(openColumns) && item.isOpenFor?.(column.name)) ||
          table.alias === item.alias,
      ),
    );
  };
  const separate = separateValues(query);
  const known = [...environment.known, ...items.flatMap((item) => tenantsOf(item, analysis.tenant))];
  const guess = ({ name, candidates = [] }: Column) => {
    for (const { sources } of items.filter(({ alias }) => candidates.includes(alias)))
      for (const { table } of sources) analysis.guess(table, name);
  };
  const equal = equalToTenant(query, known, { ...analysis, guess }, separate);
  const filtered = new Set(equal.flatMap((value) => [...ownersOf(value)]));
  readSubqueries(query, { ...environment, known: [...known, ...equal] }, analysis);
  const open = items.flatMap(({ sources }) => sources).filter((source) => !filtered.has(source));
  if (separate === undefined || query.limit || query.offset) return barred(open, analysis);
  const filterable = query.columns.filter(({ value }) => columnOf(value) && separate.ofRows(value));
  return open.map((source) => ({
    table: source.table,
    columns: new Set(filterable.filter(({ value }) => ownersOf(value).has(source)).map(({ name }) => name)),
  }));
}

/** One item of FROM. */
interface Item {
  readonly alias: string;
  readonly sources: readonly Source[];
  readonly query?: Query;
  /** Of a query: whether a column may be one of a single table whose columns are not known. */
  readonly isOpenFor?: (name: string) => boolean;
  /** The array whose elements it has. */
  readonly array?: Expression;
}

/** A column that the query itself names is not one of the table; with two such tables, either may have the column. */
function isOpenFor(query: Query): (name: string) => boolean {
  const names = new Set(columnNames(query));
  const open = [...names].filter((name) => name.startsWith(openColumns));
  return (name) => open.length === 1 && !names.has(name);
}

/** The columns of an item that are the parameter itself, or NULL where an outer join has no row: equal to no value then. */
function tenantsOf(
  { alias, query }: Item,
  { name, isPattern, isList }: TenantParameter,
): readonly Expression[] {
  if (query?.kind !== 'select' || isPattern || isList) return [];
  return query.columns.flatMap((member) =>
    isParameter(member.value, name) ? column(alias, member.name, member.value.type) : [],
  );
}

function itemsOf(from: From, environment: Environment, analysis: Analysis): readonly Item[] {
  switch (from.kind) {
    case 'table':
      if (isViewName(from.name)) analysis.unfiltered(from);
      return [{ alias: from.alias, sources: [{ table: from, columns: new Set() }] }];
    case 'derived':
      return [
        {
          alias: from.alias,
          query: from.query,
          sources: sourcesOf(from.query, environment, analysis),
          isOpenFor: isOpenFor(from.query),
        },
      ];
    case 'reference': {
      const common = environment.tables.get(from.name);
      if (!common) return [{ alias: from.alias, sources: [] }];
      common.sources ??= commonSources(common, analysis);
      return [
        {
          alias: from.alias,
          query: common.query,
          // A filter of one reader does not hold for another.
          sources: common.sources.map((source) => ({ ...source })),
          isOpenFor: isOpenFor(common.query),
        },
      ];
    }
    case 'unnest':
      return [{ alias: from.alias, sources: [], array: from.array }];
    case 'join':
      return [...itemsOf(from.left, environment, analysis), ...itemsOf(from.right, environment, analysis)];
    case 'sample':
      return itemsOf(from.of, environment, analysis);
  }
}

/** In each round, a recursive table may put other values beside those of a row: what its reader compares may be none of the row. */
function commonSources(
  { query, recursive, environment }: CommonSource,
  analysis: Analysis,
): readonly Source[] {
  const sources = sourcesOf(query, environment, analysis);
  return recursive ? barred(sources, analysis) : sources;
}

/** Every table that a subquery in an expression reads must be filtered there. */
function readSubqueries(query: Select, environment: Environment, analysis: Analysis): void {
  const readIn = (node: Parameters<typeof forEachPart>[0]): void => {
    if (node.kind === 'subquery') {
      barred(sourcesOf(node.query, environment, analysis), analysis);
      if (node.value) readIn(node.value);
      return;
    }
    const isFrom = ['table', 'derived', 'reference'].includes(node.kind);
    if (!isFrom) forEachPart(node, readIn);
  };
  forEachPart(query, readIn);
}
