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
    if (interval.kind !== 'IntervalLiteral' || interval.to)
      throw new Unsupported(interval, `${name.toUpperCase()} takes INTERVAL number PART`);
    return { suffix: partName(interval.from), args: args.with(intervalAt, amountOf(interval)) };
  }
  const at = Object.hasOwn(partIndex, name) ? partIndex[name] : undefined;
  const part = at === undefined ? undefined : args[at];
  if (at === undefined || part === undefined) return { suffix: '', args };
  return { suffix: partName(part), args: args.toSpliced(at, 1) };
}

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
