import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../src/table-schema.ts';
import type { StoredTable } from '../../src/tree/stored-table.ts';
import { quote } from '../../src/types.ts';
import { shreddedColumns, storedColumns } from '../../src/duckdb/layout/shredded-columns.ts';
import { describeSource } from '../../src/duckdb/layout/stored-value.ts';
import type { Table } from '../table.ts';

/** Creates copies of tables as the store would: every record that occurs at most once per row is shredded. */
export async function shredTables(
  connection: DuckDBConnection,
  tables: readonly Table[],
): Promise<readonly StoredTable[]> {
  const shredded: StoredTable[] = [];
  for (const table of tables) {
    const { name, fields, rows } = table;
    const relation = quote(`${name} shredded`);
    const columns = storedColumns(table, new Set(repeatedPaths(fields, rows)));
    const sourceColumns = await describeSource(connection, quote(name));
    const list = shreddedColumns(table, columns).map(
      (column) => `${column.value(sourceColumns)} AS ${quote(column.name)}`,
    );
    await connection.run(`CREATE TABLE ${relation} AS SELECT ${list.join(', ')} FROM ${quote(name)} AS r`);
    shredded.push({ name, fields, relation, columns });
  }
  return shredded;
}

/** The repeated records that have several elements in some row, or one that is NULL. */
function repeatedPaths(
  fields: readonly Field[],
  records: readonly unknown[],
  prefix = '',
): readonly string[] {
  return fields.flatMap(({ name, fields: inner, mode }) => {
    if (inner === undefined) return [];
    const path = `${prefix}${name}`;
    const values = records.map((record) => (record as Record<string, unknown> | null)?.[name] ?? []);
    const lists = mode === 'REPEATED' ? (values as unknown[][]) : values.map((value) => [value]);
    if (mode === 'REPEATED' && lists.some((list) => list.length > 1 || list.includes(null))) return [path];
    return repeatedPaths(inner, lists.flat(), `${path}.`);
  });
}
