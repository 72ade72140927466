import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { isPresent, type ShreddedRecord, type StoredColumn } from '../../dialect/passes/shredded.ts';
import { quote } from '../../dialect/types.ts';
import { quoteText } from '../store/column-type.ts';
import { wireValue } from './sql.ts';

/**
 * A DuckDB expression that gives a shredded record as JSON text, as `wireSql` does for the record as a whole. Records are
 * glued as text: to build the nested values first would take DuckDB five times as long.
 *
 * @param type of the record as a whole
 */
export function wireRecord(record: ShreddedRecord, type: DuckDBType): string {
  const there = isPresent(record);
  if (type.typeId === DuckDBTypeId.LIST) {
    return `CASE WHEN ${there} THEN concat('[', ${object(record, type.valueType)}, ']') ELSE '[]' END`;
  }
  return `CASE WHEN ${there} THEN ${object(record, type)} END`;
}

function object({ owner, path, fields }: ShreddedRecord, type: DuckDBType): string {
  const types = type.typeId === DuckDBTypeId.STRUCT ? type.entryTypes : [];
  const members = pieces(fields).map(([from, to]) => {
    const [part] = fields.slice(from, to);
    const [one] = types.slice(from, to);
    if (part?.fields && one) {
      const below = { owner, path: `${path}.${part.name}`, fields: part.fields, table: undefined };
      return `${quoteText(`${JSON.stringify(part.name)}:`)}, coalesce(${wireRecord(below, one)}, 'null')`;
    }
    const plain = fields.slice(from, to).map(({ name }, at) => {
      const own = types[from + at];
      const column = `${owner}.${quote(`${path}.${name}`)}`;
      return `${quote(name)} := ${own ? wireValue(column, own) : column}`;
    });
    return `left(right(to_json(struct_pack(${plain.join(', ')}))::VARCHAR, -1), -1)`;
  });
  return `concat('{', ${members.join(", ',', ")}, '}')`;
}

/** Records by themselves, and between them as many plain fields at once as there are. */
function pieces(fields: readonly StoredColumn[]): readonly (readonly [from: number, to: number])[] {
  const starts = fields.flatMap((part, at) =>
    part.fields || at === 0 || fields[at - 1]?.fields ? [at] : [],
  );
  return starts.map((from, at) => [from, starts[at + 1] ?? fields.length]);
}
