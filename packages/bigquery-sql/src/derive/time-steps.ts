import { callOnce } from '../tree/build.ts';
import { isEqual } from '../tree/equal.ts';
import { macroName } from '../tree/macro-name.ts';
import { someNode } from '../tree/map.ts';
import { nowParameter } from '../tree/own-parameters.ts';
import type { Case, Expression, Node } from '../tree/nodes.ts';
import { isScalar } from '../types.ts';

/** One step from the time of a row, or from the current time, to a value that is computed from it. Times are in microseconds. */
export type Step =
  | { readonly kind: 'add'; readonly least: number; readonly most: number }
  /** To a multiple of the unit since the epoch. */
  | { readonly kind: 'floor'; readonly unit: number }
  /** To an earlier time, by less than `most`. */
  | { readonly kind: 'earlier'; readonly most: number }
  /** To the time of a clock on the wall. */
  | { readonly kind: 'civil'; readonly zone: string }
  /** And back. */
  | { readonly kind: 'instant'; readonly zone: string };

/** The values of parameters of a run that are texts. */
export type TextOf = (parameter: string) => string | undefined;

/** The column that has the time of the row of a table. */
export const rowTime = '#time';
/** The column that has an element of an array of bucket starts. */
export const axisTime = '#axis';

/** True if a value is computed from the time of a row, or from an element of an array of bucket starts. */
export const readsTime = (node: Expression): boolean =>
  someNode(node, (part) => part.kind === 'column' && (part.from === rowTime || part.from === axisTime));

/** True if a value depends on the current time. */
export const readsNow = (node: Node): boolean => someNode(node, isNow);

const isNow = (node: Node): boolean => node.kind === 'parameter' && node.name === nowParameter;

/** The values of each parameter of a lambda: of a row each item, otherwise one. */
type Locals = ReadonlyMap<number, readonly Expression[]>;

interface Reading {
  readonly isStart: (node: Expression) => boolean;
  /** undefined: all that parameters can choose. */
  readonly textOf: TextOf | undefined;
  readonly locals: Locals;
}

/** Ways from a start to a value; NULL is not one. */
type Ways = readonly (readonly Step[])[];

const waysFrom =
  (isStart: Reading['isStart']) =>
  (node: Expression, textOf?: TextOf): Ways | undefined =>
    waysTo(node, { isStart, textOf, locals: new Map() });

/**
 * The steps from the time of a row to a value.
 *
 * @param textOf undefined: the ways of all values that parameters can have
 * @returns undefined if they are not understood
 */
export const waysFromTime = waysFrom((node) => node.kind === 'column' && node.from === rowTime);

/** The same from the current time. */
export const waysFromNow = waysFrom(isNow);

function waysTo(node: Expression, reading: Reading): Ways | undefined {
  if (reading.isStart(node)) return [[]];
  switch (node.kind) {
    case 'literal':
      return node.value === null ? [] : undefined;
    case 'local':
    case 'element': {
      const once = callOnce(node);
      if (once !== undefined)
        return waysTo(once.result, {
          ...reading,
          locals: new Map(reading.locals).set(once.parameter, once.args),
        });
      const value = resolveLocal(node, reading.locals);
      return value && value !== node ? waysTo(value, reading) : undefined;
    }
    case 'case':
      // The branch that parameters choose, as far as they are known.
      return joined(chosenValues(node, reading.textOf)?.map((value) => waysTo(value, reading)));
    case 'cast':
      return withSteps(node.value, reading, isScalar(node.type, 'DATE') ? [floorTo('day')] : []);
    case 'call':
      return waysToCall(macroName(node.function) ?? node.function, node.args, reading);
    default:
      return undefined;
  }
}

/** The value that a parameter of a lambda has, or an item of its row; other nodes as they are. */
function resolveLocal(node: Expression, locals: Locals): Expression | undefined {
  if (node.kind === 'element' && node.of.kind === 'local') return locals.get(node.of.id)?.[node.index - 1];
  if (node.kind !== 'local') return node;
  const [only, another] = locals.get(node.id) ?? [];
  return another === undefined ? only : undefined;
}

/** All items of lists; undefined if one of them is not known. */
const joined = <T>(lists: readonly (readonly T[] | undefined)[] | undefined): readonly T[] | undefined =>
  lists?.includes(undefined) ? undefined : lists?.flatMap((items) => items ?? []);

/** The values that a CASE over texts of parameters may have; undefined if it is over anything else. */
function chosenValues(
  { branches, otherwise }: Case,
  textOf: TextOf | undefined,
): readonly Expression[] | undefined {
  const values: Expression[] = [];
  for (const { when, result } of branches) {
    const holds = isTrue(when, textOf);
    if (holds === undefined) return undefined;
    if (holds !== false) values.push(result);
    if (holds === true) return values;
  }
  return otherwise === undefined ? values : [...values, otherwise];
}

/** @returns undefined if it is not a comparison of a parameter with a text */
function isTrue(condition: Expression, textOf: TextOf | undefined): boolean | 'perhaps' | undefined {
  if (condition.kind !== 'operation') return undefined;
  const { operator, operands } = condition;
  if (operator === 'OR') {
    const each = operands.map((operand) => isTrue(operand, textOf));
    if (each.includes(undefined)) return undefined;
    return each.includes(true) || (each.includes('perhaps') ? 'perhaps' : false);
  }
  if (operator !== '=' && operator !== 'IN') return undefined;
  const [parameter, ...texts] = operands;
  if (parameter?.kind !== 'parameter' || parameter.name === nowParameter) return undefined;
  if (!isScalar(parameter.type, 'STRING')) return undefined;
  if (!texts.every((text) => text.kind === 'literal' && typeof text.value === 'string')) return undefined;
  if (textOf === undefined) return 'perhaps';
  const given = textOf(parameter.name);
  return texts.some((text) => text.kind === 'literal' && text.value === given);
}

const second = 1_000_000;
const day = 86_400 * second;

/** In microseconds, of the parts that have one length in UTC. */
const units: Readonly<Record<string, number>> = {
  microsecond: 1,
  millisecond: 1_000,
  second,
  minute: 60 * second,
  hour: 3_600 * second,
  day,
};

/** The shortest and the longest, in days. */
const calendarDays: Readonly<Record<string, readonly [number, number]>> = {
  week: [7, 7],
  isoweek: [7, 7],
  month: [28, 31],
  quarter: [90, 92],
  year: [365, 366],
  isoyear: [364, 371],
};

function floorTo(part: string): Step {
  const unit = units[part];
  if (unit !== undefined) return { kind: 'floor', unit };
  const [, longest] = calendarDays[part.replace(/^week_.*/, 'week')] ?? [0, 400];
  return { kind: 'earlier', most: longest * day };
}

function withSteps(
  value: Expression | undefined,
  reading: Reading,
  steps: readonly Step[],
): Ways | undefined {
  return value && waysTo(value, reading)?.map((way) => [...way, ...steps]);
}

function waysToCall(name: string, args: readonly Expression[], reading: Reading): Ways | undefined {
  const [value, second, third] = args;
  const zone = zoneOf(second, reading.textOf);
  const inZone = (stepsOf: (zone: string) => readonly Step[]) =>
    zone === undefined ? undefined : withSteps(value, reading, stepsOf(zone));
  const [, type = '', operation = '', part = ''] =
    /^(timestamp|datetime|date)_(add|sub|trunc)_(\w+)$/.exec(name) ?? [];
  if (operation === 'trunc') {
    if (type === 'timestamp')
      return inZone((zone) => [{ kind: 'civil', zone }, floorTo(part), { kind: 'instant', zone }]);
    return second === undefined ? withSteps(value, reading, [floorTo(part)]) : undefined;
  }
  if (operation !== '') {
    const step = third === undefined ? addition(operation, part, second) : undefined;
    return step && withSteps(value, reading, [step]);
  }
  switch (name) {
    case 'civil':
    case 'datetime':
    case 'extract_datetime':
    case 'cast_datetime':
      return inZone((zone) => [{ kind: 'civil', zone }]);
    case 'date':
    case 'extract_date':
    case 'cast_date':
      return inZone((zone) => [{ kind: 'civil', zone }, floorTo('day')]);
    case 'timestamp':
    case 'cast_timestamp':
      return inZone((zone) => [{ kind: 'instant', zone }]);
    case 'timestamp_bucket': {
      const width = third === undefined && second ? widthOf(resolveLocal(second, reading.locals)) : undefined;
      return width === undefined ? undefined : withSteps(value, reading, [{ kind: 'earlier', most: width }]);
    }
    case 'timestamp_seconds':
    case 'timestamp_millis':
    case 'timestamp_micros':
      return value && waysToMultiple(value, name.replace('timestamp', 'unix'), reading);
    default:
      return undefined;
  }
}

/** UTC without one. */
function zoneOf(zone: Expression | undefined, textOf: TextOf | undefined): string | undefined {
  if (zone === undefined) return 'UTC';
  if (!isScalar(zone.type, 'STRING')) return undefined;
  if (zone.kind === 'literal') return typeof zone.value === 'string' ? zone.value : undefined;
  if (zone.kind !== 'parameter') return undefined;
  return textOf === undefined ? 'UTC' : textOf(zone.name);
}

function addition(operation: string, part: string, count: Expression | undefined): Step | undefined {
  if (count?.kind !== 'literal' || typeof count.value !== 'bigint') return undefined;
  const n = Number(count.value) * (operation === 'sub' ? -1 : 1);
  const unit = units[part];
  if (unit !== undefined) return { kind: 'add', least: n * unit, most: n * unit };
  const days = calendarDays[part];
  if (days === undefined) return undefined;
  const [one, other] = [n * days[0] * day, n * days[1] * day];
  return { kind: 'add', least: Math.min(one, other), most: Math.max(one, other) };
}

/** `INTERVAL n part` as a constant of DuckDB. */
function widthOf(interval: Expression | undefined): number | undefined {
  if (interval?.kind !== 'call') return undefined;
  const unit = units[/^to_(\w+)s$/.exec(interval.function)?.[1] ?? ''];
  const [count] = interval.args;
  return unit !== undefined && count?.kind === 'literal' && typeof count.value === 'bigint'
    ? Number(count.value) * unit
    : undefined;
}

/** `DIV(UNIX_SECONDS(value), n) * n`. */
function waysToMultiple(node: Expression, unix: string, reading: Reading): Ways | undefined {
  const value = resolveLocal(node, reading.locals);
  if (value?.kind !== 'call') return undefined;
  const [quotient, factor] = value.args;
  if (macroName(value.function) !== 'op_multiply' || quotient?.kind !== 'call' || factor === undefined)
    return undefined;
  const [unixTime, divisor] = quotient.args;
  if (macroName(quotient.function) !== 'div' || divisor === undefined || !isEqual(divisor, factor))
    return undefined;
  if (unixTime?.kind !== 'call' || macroName(unixTime.function) !== unix) return undefined;
  const part = { unix_seconds: second, unix_millis: 1_000, unix_micros: 1 }[unix];
  if (divisor.kind !== 'literal' || typeof divisor.value !== 'bigint' || divisor.value <= 0n)
    return undefined;
  return withSteps(unixTime.args[0], reading, [{ kind: 'floor', unit: Number(divisor.value) * (part ?? 1) }]);
}

/** The two ends of an array of bucket starts, each of which is one step after the one before. */
export interface Axis {
  readonly first: Expression;
  readonly last: Expression;
}

/**
 * The ends of `GENERATE_TIMESTAMP_ARRAY` and `GENERATE_DATE_ARRAY`, for each array that parameters can choose; undefined if
 * it may be another array, or its elements depend on more than its ends.
 */
export function axesOf(
  array: Expression,
  textOf?: TextOf,
  locals: Locals = new Map(),
): readonly Axis[] | undefined {
  if (array.kind === 'case')
    return joined(chosenValues(array, textOf)?.map((value) => axesOf(value, textOf, locals)));
  if (array.kind === 'element') {
    const once = callOnce(array);
    return once && axesOf(once.result, textOf, new Map(locals).set(once.parameter, once.args));
  }
  if (array.kind !== 'call') return undefined;
  const [, type, part = 'day'] =
    /^generate_(timestamp|date)_array(?:_(\w+))?$/.exec(macroName(array.function) ?? '') ?? [];
  const [from, to, count] = array.args;
  const isOne = count === undefined || (count.kind === 'literal' && count.value === 1n);
  if (type === undefined || from === undefined || to === undefined || !isOne) return undefined;
  const [first, last] = [resolveLocal(from, locals), resolveLocal(to, locals)];
  if (first === undefined || last === undefined) return undefined;
  // Another phase would select other buckets as time goes by.
  const isAligned = waysFromNow(first, textOf)?.every((way) => isMultiple(way, units[part]));
  return isAligned === true && waysFromNow(last, textOf) !== undefined ? [{ first, last }] : undefined;
}

function isMultiple(way: readonly Step[], unit: number | undefined): boolean {
  const last = way.findLast(({ kind }) => kind !== 'civil' && kind !== 'instant');
  const isUtc = way.every((step) => !('zone' in step) || step.zone === 'UTC');
  if (unit === undefined || last === undefined) return false;
  if (last.kind === 'floor') return last.unit % unit === 0 && (isUtc || way.at(-1)?.kind !== 'instant');
  const isWhole = last.kind === 'add' && last.least === last.most && last.least % unit === 0;
  const before = way.filter((step) => step !== last);
  return isWhole && isMultiple(before, unit);
}
