import type { Expression, From, Query, Select } from '../tree/nodes.ts';
import { resultMembers } from '../tree/query-parts.ts';

/** A field of a table, by its path. */
export interface FieldOrigin {
  readonly table: string;
  readonly path: readonly string[];
}

type CommonTables = ReadonlyMap<string, Query>;

/** The field of a table that a column of the result is, unchanged; undefined if it is computed. */
export function columnOrigin(
  query: Query,
  at: number,
  tables: CommonTables = new Map(),
): FieldOrigin | undefined {
  switch (query.kind) {
    case 'set':
      return undefined;
    case 'with':
      return columnOrigin(
        query.body,
        at,
        new Map([...tables, ...query.tables.map((table) => [table.name, table.query] as const)]),
      );
    case 'select': {
      const value = query.columns[at]?.value;
      return value && originOf(value, query, tables);
    }
  }
}

function originOf(value: Expression, select: Select, tables: CommonTables): FieldOrigin | undefined {
  if (value.kind === 'field') {
    const of = originOf(value.of, select, tables);
    return of && { ...of, path: [...of.path, value.name] };
  }
  if (value.kind === 'element') return originOf(value.of, select, tables);
  if (value.kind !== 'column') return undefined;
  const item = select.from && itemNamed(select.from, value.from);
  switch (item?.kind) {
    case 'table':
      return { table: item.name, path: [value.name] };
    case 'unnest':
      return value.name === 'value' ? originOf(item.array, select, tables) : undefined;
    case 'derived':
      return memberOrigin(item.query, value.name, tables);
    case 'reference': {
      const common = tables.get(item.name);
      return common && memberOrigin(common, value.name, tables);
    }
    default:
      return undefined;
  }
}

function memberOrigin(query: Query, name: string, tables: CommonTables): FieldOrigin | undefined {
  const at = resultMembers(query).findIndex((member) => member.name === name);
  return at < 0 ? undefined : columnOrigin(query, at, tables);
}

function itemNamed(from: From, alias: string): From | undefined {
  if (from.kind === 'join') return itemNamed(from.left, alias) ?? itemNamed(from.right, alias);
  if (from.kind === 'sample') return itemNamed(from.of, alias);
  return from.alias === alias ? from : undefined;
}
