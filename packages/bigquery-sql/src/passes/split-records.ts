import { column } from '../tree/build.ts';
import { forEachNode, mapParts, type Mapper, mapperWith } from '../tree/map.ts';
import type { Column, Expression, Member, Query, RecordValue, Select } from '../tree/nodes.ts';
import { scalar } from '../types.ts';
import type { Pass } from './pass.ts';
import { substitute } from './rewriting/substitute.ts';

/**
 * Keeps the fields of records apart as long as possible: a subquery or common table that returns a record returns its
 * fields as columns of their own, named by their path, so that DuckDB reads and keeps only those that are used.
 */
export const splitRecords: Pass = (query, options) => {
  const records = new Map<string, RecordValue>();
  const split = splitQueries(query, records);
  if (records.size === 0) return substitute(query, () => undefined);
  const tables = commonTablesByAlias(split);
  const substituted = substitute(split, ({ from, name }: Column) => {
    const record = records.get(key(from, name)) ?? records.get(key(`${tables.get(from)}`, name, true));
    return record && readParts(record, from, name);
  });
  // A query around the split ones may now return records too.
  return splitRecords(substituted, options);
};

const key = (owner: string, name: string, isCommonTable = false) =>
  JSON.stringify([owner, name, isCommonTable]);

/** The names of the common tables that FROM items read, by the items' aliases. */
function commonTablesByAlias(query: Query): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  forEachNode(query, (node) => {
    if (node.kind === 'reference') names.set(node.alias, node.name);
  });
  return names;
}

/** Splits the records that subqueries return, the innermost first, and notes them. */
function splitQueries(query: Query, records: Map<string, RecordValue>): Query {
  const mapper: Mapper = mapperWith({
    query: (node) => {
      if (node.kind !== 'with') return mapParts(node, mapper);
      const tables = node.tables.map((table) =>
        table.recursive
          ? { ...table, query: mapper.query(table.query) }
          : { ...table, query: splitOne(mapper.query(table.query), table.name, true, records) },
      );
      return { ...node, tables, body: mapper.query(node.body) };
    },
    from: (node) => {
      const mapped = mapParts(node, mapper);
      if (mapped.kind !== 'derived') return mapped;
      return { ...mapped, query: splitOne(mapped.query, mapped.alias, false, records) };
    },
  });
  return mapper.query(query);
}

function splitOne(
  query: Query,
  owner: string,
  isCommonTable: boolean,
  records: Map<string, RecordValue>,
): Query {
  if (query.kind === 'with') return { ...query, body: splitOne(query.body, owner, isCommonTable, records) };
  if (query.kind !== 'select' || query.distinct || query.groupBy) return query;
  const found = query.columns.filter(({ value }) => value.kind === 'record');
  if (found.length === 0) return query;
  for (const { name, value } of found)
    if (value.kind === 'record') records.set(key(owner, name, isCommonTable), value);
  return splitColumns(query);
}

/** The fields come last, so that positions keep their meaning. */
function splitColumns(query: Select): Select {
  const columns = query.columns.map(({ name, value }) => ({
    name,
    value: value.kind === 'record' ? value.present : value,
  }));
  const parts = query.columns.flatMap(({ name, value }) =>
    value.kind === 'record' ? partsOf(name, value) : [],
  );
  return { ...query, columns: [...columns, ...parts] };
}

const partsOf = (path: string, { fields }: RecordValue): readonly Member[] =>
  fields.flatMap(({ name, value }) => {
    const own = `${path}.${name}`;
    if (value.kind !== 'record') return [{ name: own, value }];
    return [{ name: own, value: value.present }, ...partsOf(own, value)];
  });

/** The record from the columns of its parts. */
function readParts(record: RecordValue, from: string, path: string): RecordValue {
  return {
    ...record,
    present: column(from, path, scalar('BOOL')),
    fields: record.fields.map(({ name, value }) => ({
      name,
      value: readPart(value, from, `${path}.${name}`),
    })),
  };
}

const readPart = (value: Expression, from: string, path: string): Expression =>
  value.kind === 'record' ? readParts(value, from, path) : column(from, path, value.type);
