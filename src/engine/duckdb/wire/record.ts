import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { quoteText } from '../../dialect/expr/literals.ts';
import { isPresent, type ShreddedRecord, type StoredColumn } from '../../dialect/passes/shredded.ts';
import { quote } from '../../dialect/types.ts';
import { wireValue } from './sql.ts';

/**
 * A DuckDB expression for a shredded record as JSON text, the same text as `wireSql` gives for the assembled record.
 * The parts are concatenated as text: building the nested values first would take DuckDB five times as long.
 *
 * @param type of the assembled record
 */
export function wireRecord(record: ShreddedRecord, type: DuckDBType): string {
  const presence = isPresent(record);
  if (type.typeId === DuckDBTypeId.LIST) {
    return `CASE WHEN ${presence} THEN concat('[', ${object(record, type.valueType)}, ']') ELSE '[]' END`;
  }
  return `CASE WHEN ${presence} THEN ${object(record, type)} END`;
}

function object({ owner, path, fields }: ShreddedRecord, type: DuckDBType): string {
  const types = type.typeId === DuckDBTypeId.STRUCT ? type.entryTypes : [];
  const members = runsOf(fields).map(([from, to]) => {
    const [field] = fields.slice(from, to);
    const [fieldType] = types.slice(from, to);
    if (field?.fields && fieldType) {
      const nested = { owner, path: `${path}.${field.name}`, fields: field.fields, table: undefined };
      return `${quoteText(`${JSON.stringify(field.name)}:`)}, coalesce(${wireRecord(nested, fieldType)}, 'null')`;
    }
    const plain = fields.slice(from, to).map(({ name }, at) => {
      const type = types[from + at];
      const column = `${owner}.${quote(`${path}.${name}`)}`;
      return `${quote(name)} := ${type ? wireValue(column, type) : column}`;
    });
    return `left(right(to_json(struct_pack(${plain.join(', ')}))::VARCHAR, -1), -1)`;
  });
  return `concat('{', ${members.join(", ',', ")}, '}')`;
}

/** Splits fields into runs: each record alone, and the plain fields between two records together. */
function runsOf(fields: readonly StoredColumn[]): readonly (readonly [from: number, to: number])[] {
  const starts = fields.flatMap((field, at) =>
    field.fields || at === 0 || fields[at - 1]?.fields ? [at] : [],
  );
  return starts.map((from, at) => [from, starts[at + 1] ?? fields.length]);
}
