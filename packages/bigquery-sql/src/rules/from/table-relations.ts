import { foldName } from '@querygate/text';
import type { Field } from '../../table-schema.ts';
import { select } from '../../tree/build.ts';
import { freshNames } from '../../tree/fresh-names.ts';
import { type Mapper, mapParts, mapperWith } from '../../tree/map.ts';
import type { From, Query, Table } from '../../tree/nodes.ts';
import { layoutColumns, type StoredColumn, type StoredTable, storedValue } from '../../tree/stored-table.ts';
import { columnsOf, quote, unknown } from '../../types.ts';
import { openColumns } from '../queries/outputs.ts';
import type { Relation } from '../scope.ts';
import { partitionsOf } from './described-tables.ts';

/**
 * A table of which only the name is known.
 *
 * @param of see `Relation`
 */
export const openRelation = (name: string, of?: string): Relation => ({
  isTable: true,
  columns: [{ name: openColumns, column: openColumns, type: unknown }],
  ...(of && { of }),
  from: (alias, start) => ({ kind: 'table', alias, name, relation: quote(name), start }),
});

/** The relations of the tables that a query may read, by lower-cased name. */
export const tableRelations = (tables: readonly StoredTable[]): ReadonlyMap<string, Relation> =>
  new Map(tables.map((table) => [foldName(table.name), tableRelation(table)]));

function tableRelation(table: StoredTable): Relation {
  const stored = storedColumns(table);
  return {
    isTable: true,
    tableName: table.name,
    columns: stored.map(({ name, type, required }) => ({
      name,
      column: name,
      type,
      ...(required && { required }),
    })),
    ...(table.absent && { absent: table.absent.map((own) => ({ ...own, table: table.name })) }),
    from: (alias, start, fresh) => readTable(table, stored, { alias, start, fresh }),
  };
}

const storedColumns = ({ fields, columns = columnsOf(fields) }: StoredTable): readonly StoredColumn[] =>
  columns;

interface TableRead extends Pick<Table, 'alias' | 'start' | 'systemTime'> {
  readonly fresh: (prefix: string) => string;
}

/** A table whose records are stored field by field is read through a query that puts them together. */
function readTable(
  table: StoredTable,
  stored: readonly StoredColumn[],
  { alias, start, fresh, systemTime }: TableRead,
): From {
  const tableFrom = (name: string): Table => ({
    kind: 'table',
    alias: name,
    name: table.name,
    relation: table.relation ?? quote(table.name),
    ...(table.isInFiles && { isInFiles: true }),
    ...(systemTime && { systemTime }),
    ...collatedColumns(table.fields),
    start,
  });
  if (stored.every(({ fields }) => !fields)) return tableFrom(alias);
  const inner = fresh(table.name);
  const columns = stored.map((part) => ({ name: part.name, value: storedValue(inner, part.name, part) }));
  return { kind: 'derived', alias, query: select({ columns, from: tableFrom(inner) }) };
}

function collatedColumns(fields: readonly Field[]): Pick<Table, 'collated'> {
  const collated = collatedPaths(fields);
  return collated.length > 0 ? { collated } : {};
}

const collatedPaths = (fields: readonly Field[]): readonly (readonly string[])[] =>
  fields.flatMap(({ collation, fields: inner = [], name }) =>
    collation === undefined ? collatedPaths(inner).map((path) => [name, ...path]) : [[name]],
  );

/**
 * A query over tables as they are stored.
 *
 * @param query compiled over the schemas of these tables: over `schemaTables`
 */
export function readStored(query: Query, tables: readonly StoredTable[]): Query {
  const byName = new Map([...tables, partitionsOf(tables)].map((table) => [table.name, table]));
  const fresh = freshNames(query);
  const mapper: Mapper = mapperWith({
    from(part) {
      const table = part.kind === 'table' ? byName.get(part.name) : undefined;
      if (part.kind !== 'table' || table === undefined) return mapParts(part, mapper);
      return readTable(table, storedColumns(table), { ...part, fresh });
    },
  });
  return mapper.query(query);
}

/** A table of which only the schema is given stores each field as one column. */
export const schemaTables = (tables: readonly StoredTable[]): readonly StoredTable[] =>
  tables.map((table) => ({ columns: layoutColumns(table.fields, () => false), ...table }));
