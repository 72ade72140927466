import { decimalOf } from '@querygate/bigquery-sql/types';
import {
  canonicalText,
  compareValues,
  defaultMaxItems,
  isRelative,
  resolveBound,
  textsOf,
} from 'querygate/catalog';
import { parameters } from 'querygate/plugins';
import type { Parameter, ParameterText } from '../../catalog-types.ts';
import { fromTo } from '../change.ts';
import type { Kind } from '../verdicts.ts';

interface LimitChange {
  /** The key of the header. */
  readonly key: string;
  readonly kind: Kind;
  readonly text: string;
}

/** Changes of the values that a parameter allows within its type. */
export function compareLimits(before: Parameter, after: Parameter): readonly LimitChange[] {
  const changes: LimitChange[] = [];
  const add = (key: string, old: unknown, now: unknown, isTighter: boolean) =>
    changes.push({
      key,
      kind: isTighter ? 'parameter-tightened' : 'parameter-loosened',
      text: `${key} ${fromTo(old, now)}`,
    });
  for (const key of ['min', 'max'] as const)
    if (!sameTexts(after, before[key], after[key]))
      add(key, before[key], after[key], isTighterBound(key, before, after));
  const [oldLength, length] = [before, after].map(({ maxLength }) => maxLength ?? parameters.maxValueLength);
  if (oldLength !== length) add('max_length', oldLength, length, isLess(length, oldLength));
  if (before.repeated && after.repeated && before.maxItems !== after.maxItems) {
    const [old, now] = [before, after].map(({ maxItems }) => maxItems ?? defaultMaxItems);
    if (old !== now) add('max_items', old, now, isLess(now, old));
  }
  // This does not decide if one regular expression accepts every text that another one accepts.
  if (before.pattern !== after.pattern)
    add('pattern', before.pattern, after.pattern, after.pattern !== undefined);
  // An exact decimal takes no more digits than it can have; another float is rounded.
  const [digits, most] = [before, after].map(({ bind }) => decimalOf(bind)?.whole);
  if (before.type === 'float' && after.type === 'float' && isLess(most, digits))
    add('bind', before.bind ?? 'STRING', after.bind, true);
  return changes;
}

/** True if two values of the header are equal for its type: `05` is 5, and a list of one value is that value. */
export function sameTexts(
  parameter: Parameter,
  before: ParameterText | undefined,
  after: ParameterText | undefined,
): boolean {
  // -7d is -1w, and no date.
  const canonicalOf = (text: string) =>
    isRelative(parameter, text)
      ? `now ${resolveBound({ type: 'timestamp' }, text, 0)}`
      : canonicalText(parameter, text);
  const canonical = (value: ParameterText | undefined) =>
    value === undefined ? '' : JSON.stringify(textsOf(value).map(canonicalOf));
  return canonical(before) === canonical(after);
}

/** @param limit undefined for none */
const isLess = (limit: number | undefined, other: number | undefined): boolean =>
  (limit ?? Number.POSITIVE_INFINITY) < (other ?? Number.POSITIVE_INFINITY);

function isTighterBound(key: 'min' | 'max', before: Parameter, after: Parameter): boolean {
  const [old, now] = [before[key], after[key]];
  if (now === undefined) return false;
  if (old === undefined || before.type !== after.type || after.type === 'enum') return true;
  // As time passes, a relative minimum exceeds every fixed one, and a relative maximum every fixed one too.
  const [wasRelative, becomesRelative] = [isRelative(before, old), isRelative(after, now)];
  if (key === 'min' ? becomesRelative && !wasRelative : wasRelative && !becomesRelative) return true;
  // Relative bounds are compared as of the same moment.
  const moment = Date.now();
  const order = compareValues(after, resolveBound(before, old, moment), resolveBound(after, now, moment));
  return key === 'min' ? order < 0 : order > 0;
}
