import { shorten } from '@querygate/text';
import { compressionOf, decompress } from './file-bytes.ts';

/** A row of a text file that DuckDB cannot read. */
export interface DataRow {
  readonly file: string;
  /** From 1. DuckDB counts rows: a text in quotes may have several lines, and an empty line is no row of JSON. */
  readonly row: number;
  readonly reason: string;
  /** The character around texts of CSV; undefined if the file has none. */
  readonly quote: string | undefined;
  readonly isJson: boolean;
}

/** The row that DuckDB's message is about, without its advice on options; undefined for other messages. */
export const dataRowOf = (message: string): DataRow | undefined => csvRow(message) ?? jsonRow(message);

/** `events.csv: line 3: …`, for which the file is read again. */
export const describeDataRow = async (row: DataRow): Promise<string> =>
  `${row.file}: ${await placeOf(row)}: ${row.reason}`;

/** `line 3`: the one at which the row begins; the row if the file cannot be read again. */
export async function placeOf(row: DataRow): Promise<string> {
  const line = await lineOf(row).catch(() => undefined);
  return line === undefined ? `row ${row.row}` : `line ${line}`;
}

function csvRow(message: string): DataRow | undefined {
  const row = /^(?:[\w ]+ Error: )?CSV Error on Line: (\d+)\n/.exec(message)?.[1];
  const optionsAt = message.lastIndexOf('\n  file = ');
  if (row === undefined || optionsAt < 0) return undefined;
  const [, file = '', quote = ''] =
    /^\n {2}file = (.*)\n[\s\S]*?^ {2}quote = (\S+)/m.exec(message.slice(optionsAt)) ?? [];
  const lines = message.slice(0, optionsAt).split('\n');
  const reason = lines.findLast((line) => csvReasons.test(line)) ?? 'cannot be read';
  return {
    file,
    row: Number(row),
    reason: csvReason(reason),
    quote: quote === '(empty)' ? undefined : quote,
    isJson: false,
  };
}

/** DuckDB's sentences, which are between the line and advice. */
const csvReasons =
  /^(?:Error when converting column|Expected Number of Columns|Invalid unicode|Maximum line size|The CSV Parser state|Value with unterminated quote)/;

function csvReason(reason: string): string {
  const [, column, value, type = ''] =
    /^Error when converting column "(.*)"\. Could not convert string "(.*)" to '(.*)'$/.exec(reason) ?? [];
  if (column !== undefined)
    return `${column}: "${shorten(value ?? '', 40)}" is not ${typeNames[type] ?? type}`;
  const [, expected, found] = /^Expected Number of Columns: (\d+) Found: (\d+)/.exec(reason) ?? [];
  return expected === undefined
    ? reason.replace(/\.$/, '')
    : `has ${found} values, and the header ${expected}`;
}

/** Of the types that DuckDB detects in CSV. */
const typeNames: Readonly<Record<string, string>> = {
  BIGINT: 'INT64',
  DOUBLE: 'FLOAT64',
  BOOLEAN: 'BOOL',
  'DECIMAL(38,9)': 'NUMERIC',
};

function jsonRow(message: string): DataRow | undefined {
  const [, kind, file = '', row, reason = ''] =
    /^(?:[\w ]+ Error: )?(JSON transform error|Malformed JSON) in file "(.*?)", (?:at byte \d+ )?in line (\d+): (.*)/.exec(
      message,
    ) ?? [];
  if (kind === undefined) return undefined;
  // A row that cannot be parsed is counted already.
  return kind === 'Malformed JSON'
    ? {
        file,
        row: Number(row) - 1,
        reason: `is not JSON: ${reason.trim().replace(/\.$/, '')}`,
        quote: undefined,
        isJson: true,
      }
    : { file, row: Number(row), reason, quote: undefined, isJson: true };
}

const [newline, carriageReturn] = [10, 13];

async function lineOf({ file, row, quote, isJson }: DataRow): Promise<number | undefined> {
  const quoteByte = quote?.charCodeAt(0);
  let [line, rows, isQuoted, isEmpty] = [1, 0, false, true];
  let begin = 1;
  for await (const chunk of decompress({ path: file, compression: compressionOf(file) })) {
    for (const byte of chunk) {
      if (byte === quoteByte) isQuoted = !isQuoted;
      if (byte !== newline) {
        isEmpty &&= byte === carriageReturn;
        continue;
      }
      line += 1;
      if (isQuoted) continue;
      if (!isJson || !isEmpty) rows += 1;
      if (rows === row) return begin;
      begin = line;
      isEmpty = true;
    }
  }
  // The last line may have no newline.
  return rows === row - 1 ? begin : undefined;
}
