import type { DuckDBConnection } from '@duckdb/node-api';
import { type Column, isPlainText, pathsWhere, sampledValues } from '@querygate/bigquery-sql/duckdb';
import { isReserved } from '@querygate/bigquery-sql/syntax';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { readRows } from '../store/statements.ts';

/**
 * How texts of a column that look like dates or numbers are read in SQL, by its path: the notes of STRING columns.
 *
 * @param moments the paths of texts that are read as TIMESTAMP
 */
export async function textNotes(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
  moments: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const values = sampledValues(relation, columns, isPlainText).filter(({ path }) => !moments.has(path));
  const possible = await pathsWhere(
    connection,
    values,
    String.raw`coalesce(bool_and(regexp_full_match(v, '[+-]?(\d{1,4}[^\d]|[A-Z][a-z]{2,8} \d|\d{4,}|\d).{0,26}')) AND NOT bool_and(regexp_full_match(v, '\d+')), false)`,
  );
  const notes = new Map<string, string>();
  for (const { path, query } of values) {
    if (!possible.has(path)) continue;
    const tests = [
      ...dateFormats.map((format) => `try_strptime(v, ${quoteText(format)}) IS NOT NULL`),
      ...numberForms.map(({ pattern }) => `regexp_full_match(v, '${pattern}')`),
    ];
    const [[example, ...holds] = []] = await readRows(
      connection,
      `SELECT coalesce(first(v) FILTER (contains(v, ',')), first(v)), ${tests.map((test) => `bool_and(${test})`).join(', ')} FROM (${query}) WHERE v IS NOT NULL`,
    );
    const formats = dateFormats.filter((_, at) => holds[at] === true);
    const forms = numberForms.filter((_, at) => holds[dateFormats.length + at] === true);
    const note =
      dateNote(path, String(example), formats) ??
      numberNote(path, String(example), forms) ??
      (await mixedNote(connection, query));
    if (note !== undefined) notes.set(path, note);
  }
  return notes;
}

const days = [
  ...['/', '.', '-'].flatMap((mark) => [`%d${mark}%m${mark}%Y`, `%m${mark}%d${mark}%Y`]),
  ...['/', '.', '-'].flatMap((mark) => [`%d${mark}%m${mark}%y`, `%m${mark}%d${mark}%y`]),
  ...['%Y/%m/%d', '%Y.%m.%d', '%d-%b-%Y', '%d %b %Y', '%d %B %Y', '%b %d, %Y', '%B %d, %Y'],
];

const dateFormats = ['', ' %H:%M', ' %H:%M:%S', ' %I:%M %p', ' %I:%M:%S %p'].flatMap((time) =>
  days.map((day) => `${day}${time}`),
);

function dateNote(path: string, example: string, formats: readonly string[]): string | undefined {
  // %Y reads two digits as a year of the first century.
  const short = formats.filter((format) => format.includes('%y'));
  const fitting = short.length > 0 ? short : formats;
  const [first, second] = fitting;
  if (first === undefined) return undefined;
  const call = (format: string) =>
    `${format.includes(' %H') || format.includes(' %I') ? 'PARSE_TIMESTAMP' : 'PARSE_DATE'}('${format}', ${nameInSql(path)})`;
  const isAmbiguous = second !== undefined && first.startsWith('%d') && second.startsWith('%m');
  const written = isAmbiguous ? `${call(first)} or ${call(second)}` : call(first);
  const order = isAmbiguous ? ', with the day or the month first' : '';
  return `is STRING: its texts look like dates (${example})${order}; write ${written}, or ISO 8601 in the file`;
}

/** The note of texts that are all dates, but written in several ways: no format reads them. */
async function mixedNote(connection: DuckDBConnection, query: string): Promise<string | undefined> {
  const isDate = ['%Y-%m-%d', '%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%SZ', ...dateFormats]
    .map((format) => `try_strptime(v, ${quoteText(format)}) IS NOT NULL`)
    .join(' OR ');
  const forms = await readRows(
    connection,
    `SELECT min(v), max(v), bool_and(${isDate}) FROM (${query}) WHERE v IS NOT NULL GROUP BY regexp_replace(v, '\\d+|[A-Za-z]+', '', 'g') ORDER BY 1`,
  );
  if (forms.length === 0 || !forms.every(([, , areDates]) => areDates === true)) return undefined;
  // The day and the month may be exchanged in one form.
  const examples = forms.length === 1 ? forms[0]?.slice(0, 2) : forms.slice(0, 3).map(([example]) => example);
  return `is STRING: its texts look like dates of several forms (${examples?.join(', ')}); write ISO 8601 in the file`;
}

interface NumberForm {
  readonly pattern: string;
  readonly read: (name: string) => string;
}

const replace = (text: string, from: string, to: string) => `REPLACE(${text}, '${from}', '${to}')`;

const numberForms: readonly NumberForm[] = [
  { pattern: String.raw`[+-]?\d+(,\d+)?`, read: (name) => replace(name, ',', '.') },
  {
    pattern: String.raw`[+-]?\d{1,3}(\.\d{3})*,\d+`,
    read: (name) => replace(replace(name, '.', ''), ',', '.'),
  },
  { pattern: String.raw`[+-]?\d{1,3}(,\d{3})*(\.\d+)?`, read: (name) => replace(name, ',', '') },
];

function numberNote(path: string, example: string, forms: readonly NumberForm[]): string | undefined {
  if (forms.length === 0 || !example.includes(',')) return undefined;
  const [first, last] = [forms[0], forms.at(-1)].map(
    (form) => form && `CAST(${form.read(nameInSql(path))} AS NUMERIC)`,
  );
  const isThousands = forms.at(-1) === numberForms.at(-1);
  const written =
    first !== last && isThousands ? `${first} if the comma is a decimal one, ${last} if not` : first;
  return `is STRING: its texts look like numbers with a comma (${example}); write ${written}, or numbers with a decimal point in the file`;
}

const nameInSql = (path: string) =>
  /^[a-z_][\w.]*$/i.test(path) && !isReserved(path.toUpperCase()) ? path : `\`${path}\``;
