import {
  DuckDBBlobValue,
  DuckDBIntervalValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { quoteText } from '../../tree/quote-text.ts';
import { quote } from '../../types.ts';
import { type Binding, bindable } from '../bindable.ts';

/** A value as SQL, for a server that binds no parameters. */
export const literalOf = (binding: Binding): string => literal(bindable(binding));

function literal({ value, type }: Binding): string {
  if (type.typeId === DuckDBTypeId.SQLNULL) return 'NULL';
  if (value === null) return `CAST(NULL AS ${type})`;
  if (type instanceof DuckDBListType && value instanceof DuckDBListValue) {
    if (plainItems.has(type.valueType.typeId))
      return `CAST('[${value.items.map(itemText).join(', ')}]' AS ${type})`;
    const items = value.items.map((item) => literal({ value: item, type: type.valueType }));
    return `CAST([${items.join(', ')}] AS ${type})`;
  }
  if (type instanceof DuckDBStructType && value instanceof DuckDBStructValue) {
    const members = type.entryNames.map((name, at) => {
      const member = { value: value.entries[name] ?? null, type: type.entryTypes[at] ?? type };
      return `${quote(name)} := ${literal(member)}`;
    });
    return `CAST(struct_pack(${members.join(', ')}) AS ${type})`;
  }
  if (value instanceof DuckDBBlobValue) return `from_hex('${Buffer.from(value.bytes).toString('hex')}')`;
  if (value instanceof DuckDBIntervalValue)
    return `(to_months(${value.months}) + to_days(${value.days}) + to_microseconds(${value.micros}))`;
  const text = textOf(itemText(value));
  return type.typeId === DuckDBTypeId.VARCHAR && type.alias === undefined ? text : `CAST(${text} AS ${type})`;
}

/** Items that a text of a list has as they are. An expression for each of some thousands would take DuckDB seconds to plan. */
const plainItems: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

/** DuckDB's own text has the time in the zone of this process. */
function itemText(value: DuckDBValue): string {
  if (value instanceof DuckDBTimestampTZValue) return `${new DuckDBTimestampValue(value.micros)}+00`;
  return value === null ? 'NULL' : String(value);
}

/** DuckDB's parser ends a text at the character of code 0. */
const textOf = (text: string): string =>
  text.includes('\0') ? `(${text.split('\0').map(quoteText).join(' || chr(0) || ')})` : quoteText(text);
