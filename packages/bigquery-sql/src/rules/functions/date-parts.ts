import { foldName, upperName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { amountOf } from '../expressions/intervals.ts';
import { Unsupported } from '../unsupported.ts';

/** The index of the date part among the arguments. */
const partIndex: Readonly<Record<string, number>> = {
  date_diff: 2,
  datetime_diff: 2,
  timestamp_diff: 2,
  time_diff: 2,
  date_trunc: 1,
  datetime_trunc: 1,
  timestamp_trunc: 1,
  time_trunc: 1,
  last_day: 1,
  normalize: 1,
  normalize_and_casefold: 1,
};

/** The index of the interval among the arguments. */
const intervalIndex: Readonly<Record<string, number>> = {
  date_add: 1,
  date_sub: 1,
  datetime_add: 1,
  datetime_sub: 1,
  timestamp_add: 1,
  timestamp_sub: 1,
  time_add: 1,
  time_sub: 1,
  generate_date_array: 2,
  generate_timestamp_array: 2,
};

/**
 * A function with a date part or an interval is one macro for each part: the part moves from the arguments to the end
 * of the name, so that a part without a macro is unsupported like any unknown function.
 *
 * @param isColumn whether a name is one of a column
 * @throws Unsupported if the part or the interval is not in its place
 */
export function partArguments(
  name: string,
  args: readonly Syntax.Argument[],
  isColumn: (name: string) => boolean,
): { readonly suffix: string; readonly args: readonly Syntax.Argument[] } {
  const intervalAt = Object.hasOwn(intervalIndex, name) ? intervalIndex[name] : undefined;
  const at = intervalAt ?? (Object.hasOwn(partIndex, name) ? partIndex[name] : undefined);
  if (at === undefined) return { suffix: '', args };
  refuseMisplaced(name, args.toSpliced(at, 1), isColumn);
  const part = args[at];
  if (part === undefined) return { suffix: '', args };
  if (intervalAt !== undefined) {
    if (part.kind !== 'IntervalLiteral' || part.to) throw new Unsupported(part, usageOf(name, part));
    return { suffix: partName(part.from), args: args.with(at, amountOf(part)) };
  }
  if (!isPart(part)) throw new Unsupported(part, usageOf(name, part));
  const given = textOfPart(part);
  if (part.kind === 'Path' && given !== undefined && !parts.has(upperName(given)) && isColumn(given))
    throw new Unsupported(part, `${given} is a column: ${usageOf(name)}`);
  return { suffix: partName(part), args: args.toSpliced(at, 1) };
}

/** How a function with a date part or an interval is called. @param given the date part that the call has, if it has one */
export function usageOf(name: string, given?: Syntax.Argument): string {
  const shown = name.toUpperCase();
  const part = (given && datePartOf(given)) ?? 'DAY';
  if (Object.hasOwn(intervalIndex, name)) {
    const values = name.startsWith('generate_') ? 'first, last' : 'value';
    return `${shown} takes (${values}, INTERVAL number PART), as in INTERVAL 1 ${part}`;
  }
  if (name.startsWith('normalize')) return `${shown} takes (text, MODE), with a MODE such as NFC`;
  const values = name.endsWith('_diff') ? 'later, earlier' : 'value';
  const quotes = given?.kind === 'StringLiteral' ? ', without quotes' : '';
  return `${shown} takes (${values}, PART), with a PART such as ${part}${quotes}`;
}

/** The date parts of all functions. */
const parts: ReadonlySet<string> = new Set(
  `MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY DAYOFWEEK DAYOFYEAR WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR`.split(
    ' ',
  ),
);

/** A name, or a text as other databases take parts. */
const textOfPart = (arg: Syntax.Argument): string | undefined => {
  if (arg.kind === 'StringLiteral') return arg.value;
  return arg.kind === 'Path' && arg.parts.length === 1 ? arg.parts[0].name : undefined;
};

/** The date part that an argument is, or that its text has, as `hours` or `1 day`. */
function datePartOf(arg: Syntax.Argument): string | undefined {
  if (arg.kind === 'IntervalLiteral') return upperName(arg.from.name);
  const [, part = ''] = /^(?:\d{1,9} )?([a-z]{1,12}?)s?$/i.exec(textOfPart(arg) ?? '') ?? [];
  return parts.has(part.toUpperCase()) ? part.toUpperCase() : undefined;
}

/** @throws Unsupported for a date part or an interval among the arguments that are values */
function refuseMisplaced(
  name: string,
  args: readonly Syntax.Argument[],
  isColumn: (name: string) => boolean,
): void {
  const misplaced = args.find((arg) => {
    if (arg.kind === 'IntervalLiteral') return Object.hasOwn(intervalIndex, name);
    if (arg.kind === 'StringLiteral' && name.startsWith('normalize')) return false;
    return datePartOf(arg) !== undefined && !(arg.kind === 'Path' && isColumn(textOfPart(arg) ?? ''));
  });
  if (misplaced === undefined) return;
  const text = textOfPart(misplaced);
  const shown = misplaced.kind === 'StringLiteral' ? `'${text}'` : text;
  const cause = text === undefined ? '' : `${shown} is a date part: `;
  throw new Unsupported(misplaced, cause + usageOf(name, misplaced));
}

const isPart = (node: Syntax.Argument): boolean =>
  (node.kind === 'Path' && node.parts.length === 1) ||
  (node.kind === 'FunctionCall' && node.args.length === 1 && node.args[0]?.kind === 'Path');

/** The suffix of the macro's name: `_day`, `_week_monday`. */
export function partName(node: Syntax.Argument | Syntax.Identifier | Syntax.DatePart): string {
  switch (node.kind) {
    case 'Identifier':
      return `_${foldName(node.name)}`;
    case 'DatePart':
      return partName(node.name) + (node.weekday ? partName(node.weekday) : '');
    case 'Path':
      if (node.parts.length === 1) return partName(node.parts[0]);
      break;
    case 'FunctionCall': {
      const [day, another] = node.args;
      if (node.name.parts.length === 1 && day?.kind === 'Path' && !another)
        return partName(node.name.parts[0]) + partName(day);
    }
  }
  throw new Unsupported(node, 'expected a date part such as DAY');
}
