import type { IntervalLiteral, IntervalUnitRange } from 'sql-parser-cst';
import type { Sql } from '../scope.ts';
import type { Rule } from '../translator.ts';
import { isScalar, scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** DuckDB's function for each date part, and the number of its units in the part. */
const makers: Readonly<Record<string, readonly [name: string, times: number]>> = {
  YEAR: ['to_years', 1],
  QUARTER: ['to_months', 3],
  MONTH: ['to_months', 1],
  WEEK: ['to_days', 7],
  DAY: ['to_days', 1],
  HOUR: ['to_hours', 1],
  MINUTE: ['to_minutes', 1],
  SECOND: ['to_microseconds', 1_000_000],
  MILLISECOND: ['to_microseconds', 1000],
  MICROSECOND: ['to_microseconds', 1],
};

/** `INTERVAL n DAY` and `INTERVAL '1-2' YEAR TO MONTH`. */
export const interval: Rule<IntervalLiteral> = (node, scope, tr) => {
  const { unit, value } = node;
  if (unit?.type === 'interval_unit_range') return intervalOfParts(node, unit);
  const name = unit?.unitKw.name ?? '';
  const [maker, times] = makers[name] ?? [];
  if (!maker) throw new Unsupported(node, `INTERVAL does not support ${name}`);
  const amount = tr.expr(value, scope);
  if (!isScalar(amount.type, 'INT64')) throw new Unsupported(value, `INTERVAL … ${name} takes INT64`);
  return intervalOf(`${maker}(${amount.text}${times === 1 ? '' : ` * ${times}`})`);
};

const intervalOf = (text: string): Sql => ({ text, type: scalar('INTERVAL') });

/** The parts of an interval's text in order, and the separator before each. */
const parts = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'];
const separators = ['', '-', ' ', ' ', ':', ':'];

function intervalOfParts(node: IntervalLiteral, { fromUnit, toUnit }: IntervalUnitRange): Sql {
  const [from, to] = [fromUnit, toUnit].map((unit) => parts.indexOf(unit.unitKw.name));
  if (
    node.value.type !== 'string_literal' ||
    from === undefined ||
    to === undefined ||
    from < 0 ||
    to <= from
  )
    throw new Unsupported(
      node,
      'INTERVAL takes a number and a date part, or a string and a range of date parts',
    );
  const range = parts.slice(from, to + 1);
  const pattern = range.map((part, index) => {
    const sign = index === 0 || part === 'DAY' || part === 'HOUR' ? '([+-]?)' : '()';
    const digits = part === 'SECOND' ? '(\\d+(?:\\.\\d{1,6})?)' : '(\\d+)';
    return `${index === 0 ? '' : separators[from + index]}${sign}${digits}`;
  });
  const found = new RegExp(`^${pattern.join('')}$`).exec(node.value.value);
  if (!found) throw new Unsupported(node.value, `not an interval from ${range[0]} to ${range.at(-1)}`);
  let sign = '';
  const terms = range.map((part, index) => {
    // One sign applies to years and months, another to days, another to the whole time of day.
    if (index === 0 || part === 'DAY' || part === 'HOUR') sign = found[2 * index + 1] ?? '';
    const amount = `${sign === '-' ? '-' : ''}${found[2 * index + 2]}`;
    if (part !== 'SECOND') return `${makers[part]?.[0]}(${amount})`;
    return `to_microseconds(${Math.round(Number(amount) * 1_000_000)})`;
  });
  return intervalOf(`(${terms.join(' + ')})`);
}
