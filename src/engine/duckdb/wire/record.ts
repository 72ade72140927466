import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { isThere, type Spread, type StoredColumn } from '../../dialect/passes/shredded.ts';
import { quote } from '../../dialect/types.ts';
import { quoteText } from '../store/column-type.ts';
import { wireValue } from './sql.ts';

/**
 * A DuckDB expression that gives a spread record as JSON text, as `wireSql` does for the record as a whole. Records are
 * glued as text: to build the nested values first would take DuckDB five times as long.
 *
 * @param type of the record as a whole
 */
export function wireRecord(record: Spread, type: DuckDBType): string {
  const there = isThere(record);
  if (type.typeId === DuckDBTypeId.LIST) {
    return `CASE WHEN ${there} THEN concat('[', ${object(record, type.valueType)}, ']') ELSE '[]' END`;
  }
  return `CASE WHEN ${there} THEN ${object(record, type)} END`;
}

function object({ owner, path, parts }: Spread, type: DuckDBType): string {
  const types = type.typeId === DuckDBTypeId.STRUCT ? type.entryTypes : [];
  const members = pieces(parts).map(([from, to]) => {
    const [part] = parts.slice(from, to);
    const [one] = types.slice(from, to);
    if (part?.parts && one) {
      const below = { owner, path: `${path}.${part.name}`, parts: part.parts, table: undefined };
      return `${quoteText(`${JSON.stringify(part.name)}:`)}, coalesce(${wireRecord(below, one)}, 'null')`;
    }
    const plain = parts.slice(from, to).map(({ name }, at) => {
      const own = types[from + at];
      const column = `${owner}.${quote(`${path}.${name}`)}`;
      return `${quote(name)} := ${own ? wireValue(column, own) : column}`;
    });
    return `left(right(to_json(struct_pack(${plain.join(', ')}))::VARCHAR, -1), -1)`;
  });
  return `concat('{', ${members.join(", ',', ")}, '}')`;
}

/** Records by themselves, and between them as many plain fields at once as there are. */
function pieces(parts: readonly StoredColumn[]): readonly (readonly [from: number, to: number])[] {
  const starts = parts.flatMap((part, at) => (part.parts || at === 0 || parts[at - 1]?.parts ? [at] : []));
  return starts.map((from, at) => [from, starts[at + 1] ?? parts.length]);
}
