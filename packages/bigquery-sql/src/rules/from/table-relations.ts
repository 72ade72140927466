import type { Field } from '../../table-schema.ts';
import { column, nullLiteral, select, textLiteral } from '../../tree/build.ts';
import { freshNames } from '../../tree/fresh-names.ts';
import { mapParts, type Mapper, mapperWith } from '../../tree/map.ts';
import type { From, Member, Query, Table } from '../../tree/nodes.ts';
import { layoutColumns, type StoredColumn, type StoredTable, storedValue } from '../../tree/stored-table.ts';
import { columnsOf, quote, sameName, scalar, unknown } from '../../types.ts';
import { openColumns } from '../queries/outputs.ts';
import { absentIn, type Relation, type RelationColumn } from '../scope.ts';
import { partitionsOf } from './described-tables.ts';

/** A table of which only the name is known. */
export const openRelation = (name: string): Relation => ({
  isTable: true,
  columns: [{ name: openColumns, column: openColumns, type: unknown }],
  from: (alias, start) => ({ kind: 'table', alias, name, relation: quote(name), start }),
});

/** The pseudo column of wildcard tables: the text that `*` matches. */
const suffixColumn = '_TABLE_SUFFIX';

/** The relations of the tables that a query may read, by lower-cased name. */
export const tableRelations = (tables: readonly StoredTable[]): ReadonlyMap<string, Relation> =>
  new Map(tables.map((table) => [table.name.toLowerCase(), tableRelation(table)]));

function tableRelation(table: StoredTable): Relation {
  const stored = storedColumns(table);
  return {
    isTable: true,
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
    ...(isCollated(table.fields) && { isCollated: true }),
    start,
  });
  if (stored.every(({ fields }) => !fields)) return tableFrom(alias);
  const inner = fresh(table.name);
  const columns = stored.map((part) => ({ name: part.name, value: storedValue(inner, part.name, part) }));
  return { kind: 'derived', alias, query: select({ columns, from: tableFrom(inner) }) };
}

const isCollated = (fields: readonly Field[]): boolean =>
  fields.some(({ collation, fields: inner = [] }) => collation !== undefined || isCollated(inner));

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

/**
 * The tables whose names begin with a prefix, as one: columns are those of the last table by name, NULL where another
 * table has no such column, and the rest of the name is `_TABLE_SUFFIX`. Undefined if there is no such table.
 */
export function wildcardRelation(
  prefix: string,
  relations: ReadonlyMap<string, Relation>,
): Relation | undefined {
  const matching = [...relations]
    .filter(([name, { isTable }]) => isTable && name.startsWith(prefix.toLowerCase()))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const last = matching.at(-1)?.[1];
  if (!last) return undefined;
  const columns: readonly RelationColumn[] = [
    ...last.columns.map(({ required: _, ...rest }) => rest),
    { name: suffixColumn, column: suffixColumn, type: scalar('STRING'), isPseudo: true },
  ];
  return {
    isTable: true,
    columns,
    ...absentIn([last]),
    from(alias, start, fresh) {
      const inputs = matching.map(([name, relation]): Query => {
        const inner = fresh(name);
        const members = columns.map((target): Member => {
          const own = relation.columns.find((candidate) => sameName(candidate.name, target.name));
          const value = target.isPseudo
            ? textLiteral(name.slice(prefix.length))
            : own
              ? column(inner, own.column, own.type)
              : nullLiteral(target.type);
          return { name: target.column, value };
        });
        return select({ columns: members, from: relation.from(inner, start, fresh) });
      });
      const [only, another] = inputs;
      const query: Query = only && !another ? only : { kind: 'set', operator: 'UNION ALL', inputs };
      return { kind: 'derived', alias, query };
    },
  };
}
