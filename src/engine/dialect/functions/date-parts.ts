import type { Node, WeekExpr } from 'sql-parser-cst';
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

/**
 * A function with a date part or an interval is one macro for each part: the part moves from the arguments to the end
 * of the name, so that a part without a macro is unsupported like any unknown function.
 */
export function partArguments(
  name: string,
  args: readonly Node[],
): { suffix: string; args: readonly Node[] } {
  const interval = args.findIndex(({ type }) => type === 'interval_literal');
  const literal = args[interval];
  if (literal?.type === 'interval_literal') {
    const { unit, value } = literal;
    if (unit?.type !== 'interval_unit')
      throw new Unsupported(literal, `${name.toUpperCase()} takes INTERVAL number PART`);
    return { suffix: partName(unit), args: args.with(interval, value) };
  }
  const at = partIndex[name];
  const part = at === undefined ? undefined : args[at];
  if (at === undefined || part === undefined) return { suffix: '', args };
  return { suffix: partName(part), args: args.toSpliced(at, 1) };
}

/** The suffix of the macro's name: `_day`, `_week_monday`. */
export function partName(node: Node): string {
  switch (node.type) {
    case 'identifier':
      return `_${node.name.toLowerCase()}`;
    case 'interval_unit':
      return `_${node.unitKw.name.toLowerCase()}`;
    case 'week_expr':
      return weekName(node);
    case 'func_call': {
      const [day] = node.args?.expr.args.items ?? [];
      if (node.name.type === 'identifier' && day?.type === 'identifier') {
        return `_${node.name.name.toLowerCase()}_${day.name.toLowerCase()}`;
      }
    }
  }
  throw new Unsupported(node, 'expected a date part such as DAY');
}

const weekName = (node: WeekExpr): string => `_week_${node.args.expr.name.toLowerCase()}`;
