import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { StoredColumn } from '../dialect/spread.ts';
import { quote } from '../dialect/type.ts';
import { quoteText } from './column-type.ts';
import { wireValue } from './wire-sql.ts';

/**
 * A DuckDB expression that gives a spread record as JSON text, as `wireSql` does for the record as a whole. Records are
 * glued as text: to build the nested values first would take DuckDB five times as long.
 *
 * @param path where the record's columns stand
 * @param type of the record as a whole
 */
export function wireRecord(path: string, parts: readonly StoredColumn[], type: DuckDBType): string {
  const isThere = quote(path);
  if (type.typeId === DuckDBTypeId.LIST) {
    const one = `concat('[', ${object(path, parts, type.valueType)}, ']')`;
    return `CASE WHEN ${isThere} THEN ${one} ELSE '[]' END`;
  }
  return `CASE WHEN ${isThere} THEN ${object(path, parts, type)} END`;
}

function object(path: string, parts: readonly StoredColumn[], type: DuckDBType): string {
  const types = type.typeId === DuckDBTypeId.STRUCT ? type.entryTypes : [];
  const members = pieces(parts).map(([from, to]) => {
    const [part] = parts.slice(from, to);
    const [one] = types.slice(from, to);
    if (part?.parts && one) {
      const name = quoteText(`${JSON.stringify(part.name)}:`);
      return `${name}, coalesce(${wireRecord(`${path}.${part.name}`, part.parts, one)}, 'null')`;
    }
    const plain = parts.slice(from, to).map(({ name }, at) => {
      const own = types[from + at];
      const column = quote(`${path}.${name}`);
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
