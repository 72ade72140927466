import type { FuncCall, Node } from 'sql-parser-cst';
import { convert } from '../../coercion.ts';
import { quoteText } from '../../expr/literals.ts';
import { functionName, plainArguments } from '../../macros/macro-call.ts';
import type { Rule } from '../../translator.ts';
import { type ScalarName, scalar } from '../../types.ts';
import { Unsupported } from '../../unsupported.ts';
import { literalFormat } from './format-time.ts';
import { type Fields, parseTimePattern } from './time-pattern.ts';

const parsers: Readonly<Record<string, { readonly type: ScalarName; readonly invalid: string }>> = {
  parse_date: { type: 'DATE', invalid: 'cHIklMPpRrSsTXZz' },
  parse_datetime: { type: 'DATETIME', invalid: 'Zz' },
  parse_time: { type: 'TIME', invalid: 'AaBbhCcDdeFGgjmsUuVWwxYyZz' },
  parse_timestamp: { type: 'TIMESTAMP', invalid: '' },
};

const duckdbTypes: Readonly<Partial<Record<ScalarName, string>>> = {
  DATE: 'DATE',
  DATETIME: 'TIMESTAMP',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMPTZ',
};

/**
 * `PARSE_TIMESTAMP('%F', text)` and the like: the format becomes a regular expression, whose groups make up the value.
 */
export const parseTime: Rule<FuncCall> = (node, scope, tr) => {
  const name = functionName(node.name);
  const { type, invalid } = parsers[name] ?? { type: 'DATE', invalid: '' };
  const [formatNode, textNode, zoneNode, another] = plainArguments(node);
  if (!formatNode || !textNode || another || (zoneNode && type !== 'TIMESTAMP'))
    throw new Unsupported(node, `${name.toUpperCase()} takes a format and a STRING`);
  const format = literalFormat(formatNode, name);
  if (format === null) return { text: `CAST(NULL AS ${duckdbTypes[type]})`, type: scalar(type) };

  const group = tr.fresh('parsed');
  const { pattern, names, fields } = readFormat(formatNode, format, invalid, group);
  const text = convert(tr.expr(textNode, scope), scalar('STRING'));
  const zone = zoneNode ? tr.expr(zoneNode, scope).text : undefined;
  // The lambda makes DuckDB match the text once for all groups.
  const groups = `[regexp_extract(${text}, ${quoteText(pattern)}, [${names.map(quoteText).join(', ')}])]`;
  const value = `CASE WHEN ${group}.whole = '' THEN bq.fail('Failed to parse input string') WHEN ${group}.whole IS NOT NULL THEN ${parsedValue(type, fields, zone)} END`;
  return { text: `list_transform(${groups}, lambda ${group}: ${value})[1]`, type: scalar(type) };
};

function readFormat(node: Node, format: string, invalid: string, group: string) {
  const { unsupported, ...read } = parseTimePattern(format, invalid, group);
  if (unsupported !== undefined)
    throw new Unsupported(node, `${unsupported} is not supported in this format`);
  return read;
}

function parsedValue(type: ScalarName, fields: Fields, zone: string | undefined): string {
  const { year, month, day, hour, minute, second, microsecond, afternoon, dayOfYear } = fields;
  const hours = fields.twelveHours ? `(${hour} % 12 + ${afternoon})` : hour;
  const date =
    dayOfYear === undefined
      ? `make_date(${year}, ${month}, ${day})`
      : `bq.date_of_day_of_year(${year}, ${dayOfYear})`;
  const clock = `(${hours} * 3600000000 + ${minute} * 60000000 + bq.parsed_seconds(${second}, ${microsecond}))`;
  const civil = fields.epoch
    ? `bq.datetime_of(${fields.epoch} * 1000000)`
    : `(${date} + to_microseconds(${clock}))`;
  switch (type) {
    case 'DATE':
      return `bq.valid_date(${date})`;
    case 'TIME':
      return `bq.time_of(${clock})`;
    case 'DATETIME':
      return `bq.valid_datetime(${civil})`;
    default:
      return instant(civil, fields, zone);
  }
}

function instant(
  civil: string,
  { epoch, offset, zone: zoneInText }: Fields,
  zone: string | undefined,
): string {
  if (epoch === undefined && offset !== undefined)
    return `bq.timestamp_of(epoch_us(${civil}) - bq.parsed_offset(${offset}))`;
  const inZone = epoch === undefined ? (zoneInText ?? zone) : undefined;
  return inZone === undefined ? `bq.timestamp_of(epoch_us(${civil}))` : `bq.timestamp(${civil}, ${inZone})`;
}
