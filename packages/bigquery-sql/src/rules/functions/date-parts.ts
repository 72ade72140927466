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
 */
export function partArguments(
  name: string,
  args: readonly Syntax.Argument[],
): { readonly suffix: string; readonly args: readonly Syntax.Argument[] } {
  const intervalAt = Object.hasOwn(intervalIndex, name) ? intervalIndex[name] : undefined;
  const interval = intervalAt === undefined ? undefined : args[intervalAt];
  if (intervalAt !== undefined && interval) {
    if (interval.kind !== 'IntervalLiteral' || interval.to) throw new Unsupported(interval, usageOf(name));
    return { suffix: partName(interval.from), args: args.with(intervalAt, amountOf(interval)) };
  }
  const at = Object.hasOwn(partIndex, name) ? partIndex[name] : undefined;
  const part = at === undefined ? undefined : args[at];
  if (at === undefined || part === undefined) return { suffix: '', args };
  if (!isPart(part)) throw new Unsupported(part, usageOf(name));
  return { suffix: partName(part), args: args.toSpliced(at, 1) };
}

/** How a function with a date part or an interval is called. */
function usageOf(name: string): string {
  const shown = name.toUpperCase();
  if (name.startsWith('generate_')) return `${shown} takes (first, last, INTERVAL number PART)`;
  if (Object.hasOwn(intervalIndex, name)) return `${shown} takes (value, INTERVAL number PART)`;
  if (name.endsWith('_diff')) return `${shown} takes (later, earlier, PART), with a PART such as DAY`;
  return name.startsWith('normalize')
    ? `${shown} takes (text, MODE), with a MODE such as NFC`
    : `${shown} takes (value, PART), with a PART such as DAY`;
}

/** The date parts of all functions. */
const parts: ReadonlySet<string> = new Set(
  `MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY DAYOFWEEK DAYOFYEAR WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR`.split(
    ' ',
  ),
);

/**
 * The problem of an argument that is a date part, where the function takes a value.
 *
 * @param isColumn whether a name is one of a column
 */
export function misplacedPart(
  name: string,
  args: readonly Syntax.Argument[],
  isColumn: (name: string) => boolean,
): Unsupported | undefined {
  const misplaced = args.find(
    (arg) =>
      (arg.kind === 'IntervalLiteral' && Object.hasOwn(intervalIndex, name)) ||
      (arg.kind === 'Path' &&
        arg.parts.length === 1 &&
        parts.has(arg.parts[0].name.toUpperCase()) &&
        !isColumn(arg.parts[0].name)),
  );
  const cause = misplaced?.kind === 'Path' ? `${misplaced.parts[0].name} is a date part: ` : '';
  return misplaced && new Unsupported(misplaced, cause + usageOf(name));
}

const isPart = (node: Syntax.Argument): boolean =>
  (node.kind === 'Path' && node.parts.length === 1) ||
  (node.kind === 'FunctionCall' && node.args.length === 1 && node.args[0]?.kind === 'Path');

/** True if one of a function's arguments is a date part or an interval. */
export const takesPart = (name: string): boolean =>
  Object.hasOwn(partIndex, name) || Object.hasOwn(intervalIndex, name);

/** The suffix of the macro's name: `_day`, `_week_monday`. */
export function partName(node: Syntax.Argument | Syntax.Identifier | Syntax.DatePart): string {
  switch (node.kind) {
    case 'Identifier':
      return `_${node.name.toLowerCase()}`;
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
