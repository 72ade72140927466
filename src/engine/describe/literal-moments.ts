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

/**
 * The day that a text of digits means, and the format of such texts: `20260131` in `_TABLE_SUFFIX` of `events_*`, `260131` in
 * that of `events_20*`. A shorter rest, such as `0131` of `events_2026*`, has no day of its own: days of other years are in other tables.
 */
export function dateOfSuffix(
  text: string,
  column: string,
  prefixes: readonly string[],
): { readonly date: string; readonly format: string } | undefined {
  if (!dayColumn.test(column) || !/^(?:\d\d)?\d{6}$/.test(text)) return undefined;
  const isShort = text.length === 6;
  if (isShort && !prefixes.some((prefix) => prefix.endsWith('20'))) return undefined;
  const digits = isShort ? `20${text}` : text;
  const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
  if (Number.isNaN(Date.parse(date))) return undefined;
  return { date, format: isShort ? '%y%m%d' : '%Y%m%d' };
}
