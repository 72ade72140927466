import { RE2JS } from 're2js';
import type { Parameter, PlainParameter, ValueType } from '../model/saved-query.ts';
import { decimalOf } from '@querygate/bigquery-sql/types';
import { decimalUnits } from '@querygate/text';
import { resolveBound } from './times.ts';

type Bounded = Pick<Parameter, 'type' | 'bind' | 'min' | 'max' | 'maxLength' | 'pattern'>;

/**
 * Why a value is outside of the bounds that its header declares; undefined if it is not.
 *
 * @param value canonical
 */
export function boundsProblem(parameter: Bounded, value: string, now: number): string | undefined {
  const { min, max, maxLength, pattern } = parameter;
  if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength)
    return `must have at most ${maxLength} characters`;
  if (pattern !== undefined && !compiled(pattern).matcher(value).find()) return `must match ${pattern}`;
  if (min === undefined && max === undefined) return undefined;
  const least = min === undefined ? undefined : resolveBound(parameter, min, now);
  const greatest = max === undefined ? undefined : resolveBound(parameter, max, now);
  const isWithin =
    (least === undefined || compareValues(parameter, value, least) >= 0) &&
    (greatest === undefined || compareValues(parameter, value, greatest) <= 0);
  return isWithin ? undefined : `must be ${boundsText(least, greatest)}`;
}

/** The bounds that a header declares, as in `between 1 and 7`; undefined if it declares none. */
export function describeBounds(parameter: Bounded, now: number): string | undefined {
  const { min, max } = parameter;
  if (min === undefined && max === undefined) return undefined;
  return boundsText(
    min === undefined ? undefined : resolveBound(parameter, min, now),
    max === undefined ? undefined : resolveBound(parameter, max, now),
  );
}

function boundsText(least: string | undefined, greatest: string | undefined): string {
  if (least !== undefined && greatest !== undefined) return `between ${least} and ${greatest}`;
  return least === undefined ? `at most ${greatest}` : `at least ${least}`;
}

/** Compares two canonical values of a type that has an order. */
export function compareValues({ type, bind }: ValueType, a: string, b: string): number {
  const decimal = type === 'float' ? decimalOf(bind) : undefined;
  if (decimal !== undefined)
    return Number(decimalUnits(a, decimal.fraction) - decimalUnits(b, decimal.fraction));
  if (type === 'integer') return Number(BigInt(a) - BigInt(b));
  if (type === 'float') return Number(a) - Number(b);
  // Canonical dates and moments have one length.
  return a < b ? -1 : Number(a > b);
}

/** The types whose values have an order. */
export const hasOrder = (type: Parameter['type']): type is PlainParameter['type'] =>
  type === 'integer' || type === 'float' || type === 'date' || type === 'datetime' || type === 'timestamp';

/** Patterns of headers: there are as many as parameters. */
const patterns = new Map<string, RE2JS>();

function compiled(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (patterns.size >= maxPatterns) patterns.clear();
  const made = RE2JS.compile(pattern);
  patterns.set(pattern, made);
  return made;
}

const maxPatterns = 1_000;
