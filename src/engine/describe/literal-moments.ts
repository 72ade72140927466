import type * as Syntax from '../dialect/syntax/nodes.ts';
import { walk } from '../dialect/syntax/walk.ts';

const moment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** A moment with a time, as `momentText` returns it. */
export const isoMoment = /T/;

/** A date or a time as a caller would send it: `2026-01-31`, `2026-01-31T12:00:00Z`. Undefined for another text. */
export function momentText(text: string): string | undefined {
  const [, date, time, zone = ''] = moment.exec(text) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  return time === undefined ? date : `${date}T${time}${zone.toUpperCase() === 'UTC' ? 'Z' : zone}`;
}

/** The texts before the `*` of the wildcard tables of a query. */
export function suffixTables(statement: Syntax.Statement): readonly string[] {
  const prefixes: string[] = [];
  walk(statement, (node) => {
    const name = node.kind === 'Table' ? (node.path.parts.at(-1)?.name ?? '') : '';
    if (name.endsWith('*')) prefixes.push(name.slice(0, -1));
  });
  return prefixes;
}

/** The names of columns with days as texts: `20260131`. */
const dayColumn = /(?:^|_)(?:date|day|suffix)$/i;

interface SuffixDay {
  readonly date: string;
  /** The format of such texts. */
  readonly format: string;
  /** The days that the tables can have, if they are those of one year or month. */
  readonly bounds?: { readonly min: string; readonly max: string };
}

/**
 * The day that a text of digits means, in a column of days or as the suffix of a wildcard table: `20260131` of `events_*`, `260131`
 * of `events_20*`, `0131` of `events_2026*`, `31` of `events_202601*`.
 */
export function dateOfSuffix(
  text: string,
  column: string,
  prefixes: readonly string[],
): SuffixDay | undefined {
  if (!dayColumn.test(column) || !/^(?:\d\d){1,4}$/.test(text)) return undefined;
  const known = text.length === 8 ? '' : digitsBefore(prefixes, 8 - text.length);
  if (known === undefined) return undefined;
  const digits = known + text;
  const date = dateText(digits);
  if (Number.isNaN(Date.parse(date))) return undefined;
  const format = ['%Y%m%d', '%y%m%d', '%m%d', '%d'][known.length / 2] ?? '%Y%m%d';
  return { date, format, ...boundsOf(known) };
}

/** The digits at the end of the first prefix that ends with this many of them. */
function digitsBefore(prefixes: readonly string[], count: number): string | undefined {
  const ends = prefixes.map((prefix) => /\d*$/.exec(prefix)?.[0] ?? '');
  return ends.find((end) => end.length === count);
}

const dateText = (digits: string) => `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;

/** The days of the tables: without the bounds, a date of another year would select a day of this one. */
function boundsOf(known: string): Pick<SuffixDay, 'bounds'> {
  if (known.length < 4) return {};
  const year = Number(known.slice(0, 4));
  const month = known.length === 6 ? Number(known.slice(4)) : undefined;
  const last = new Date(Date.UTC(year, month ?? 12, 0)).toISOString().slice(0, 10);
  return { bounds: { min: dateText(`${known}${month === undefined ? '0101' : '01'}`), max: last } };
}
