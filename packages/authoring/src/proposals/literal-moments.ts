import { type Syntax, walk } from '@querygate/bigquery-sql/syntax';

const moment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** A moment with a time, as `momentText` returns it. */
const isoMoment = /T/;

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

/** `start_date` for a lower bound, `end_time` for an upper bound with a time, otherwise `day`; and what it means. */
export function momentUse(
  node: Syntax.Node,
  around: readonly Syntax.Node[],
  value: string,
): { readonly base: string; readonly description: string } {
  const isDay = !isoMoment.test(value);
  switch (boundOf(node, around)) {
    case 'start':
      return isDay
        ? { base: 'start_date', description: 'The first day.' }
        : { base: 'start_time', description: 'The earliest time.' };
    case 'last':
      return isDay
        ? { base: 'end_date', description: 'The last day.' }
        : { base: 'end_time', description: 'The latest time.' };
    case 'end':
      return isDay
        ? { base: 'end_date', description: 'The day after the last one.' }
        : { base: 'end_time', description: 'The end of the time, which is excluded.' };
    default:
      return isDay ? { base: 'day', description: 'The day.' } : { base: 'moment', description: 'The time.' };
  }
}

/** Which bound of a time a literal is, also as the argument of a function; `end` is excluded. */
function boundOf(node: Syntax.Node, around: readonly Syntax.Node[]): 'start' | 'last' | 'end' | undefined {
  let child = node;
  for (const parent of around.toReversed()) {
    if (parent.kind === 'Between') {
      if (child === parent.low) return 'start';
      return child === parent.high ? 'last' : undefined;
    }
    if (parent.kind === 'Comparison') {
      const { operator } = parent;
      if (operator === '=' || operator === '!=') return undefined;
      const isLower = operator.startsWith(child === parent.left ? '<' : '>');
      if (isLower) return 'start';
      return operator.endsWith('=') ? 'last' : 'end';
    }
    if (parent.kind !== 'Cast' && !isConversion(parent)) return undefined;
    child = parent;
  }
  return undefined;
}

/** True if a function only converts the moment that it takes, to another type or to a text. */
const isConversion = (node: Syntax.Node): boolean =>
  node.kind === 'FunctionCall' &&
  /^(?:date|datetime|timestamp|(?:format|parse)_(?:date|datetime|timestamp))$/i.test(
    node.name.parts.at(-1)?.name ?? '',
  );

/** The moment of `DATE('2026-01-31')`, `TIMESTAMP('…')`, `DATETIME('…')`. */
export function momentCall(node: Syntax.Node | undefined): string | undefined {
  if (node?.kind !== 'FunctionCall' || node.args.length !== 1) return undefined;
  const [arg] = node.args;
  const isMoment = /^(?:date|datetime|timestamp)$/i.test(node.name.parts.at(-1)?.name ?? '');
  return isMoment && arg?.kind === 'StringLiteral' ? momentText(arg.value) : undefined;
}
