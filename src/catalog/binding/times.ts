import {
  dateResolution,
  momentResolution,
  parseRelativeTime,
  resolveTime,
} from '../../files/relative-time.ts';
import { isoText } from '../../files/timestamps.ts';
import type { Parameter, SavedQuery } from '../model/saved-query.ts';

type TimeType = 'date' | 'datetime' | 'timestamp';

const isTime = (type: Parameter['type']): type is TimeType =>
  type === 'date' || type === 'datetime' || type === 'timestamp';

/** True if a text of the header is relative, as in `-1d`. */
export const isRelative = ({ type }: Pick<Parameter, 'type'>, text: string): boolean =>
  isTime(type) && parseRelativeTime(text) !== undefined;

/** A value that depends on the time at which it is resolved. */
export interface ResolvedText {
  readonly text: string;
  /** From then on it is another one, in milliseconds since the epoch. */
  readonly until: number;
}

/** A relative default or example at a time; undefined if the text is not relative. */
export function resolveDefault(
  { type }: Pick<Parameter, 'type'>,
  text: string,
  caching: SavedQuery['caching'],
  now: number,
): ResolvedText | undefined {
  const relative = isTime(type) ? parseRelativeTime(text) : undefined;
  if (!isTime(type) || relative === undefined) return undefined;
  const ttlSeconds = caching === 'disabled' ? 0 : caching.ttlSeconds;
  const resolution = type === 'date' ? dateResolution : momentResolution(relative, ttlSeconds);
  const { at, until } = resolveTime(relative, now, resolution);
  return { text: timeText(type, at), until };
}

/** A bound at a time; one that is not relative as it is. */
export function resolveBound({ type }: Pick<Parameter, 'type'>, text: string, now: number): string {
  const relative = isTime(type) ? parseRelativeTime(text) : undefined;
  return !isTime(type) || relative === undefined ? text : timeText(type, now + relative.ms);
}

/** A parameter with its bounds at a time: one that is not relative stays as it is. */
export function withResolvedBounds(parameter: Parameter, now: number): Parameter {
  const { min, max } = parameter;
  return {
    ...parameter,
    ...(min !== undefined && { min: resolveBound(parameter, min, now) }),
    ...(max !== undefined && { max: resolveBound(parameter, max, now) }),
  };
}

/** A parameter with those of its bounds that are relative, or with the others. */
export function withBounds(parameter: Parameter, relative: boolean): Parameter {
  const { max, min, ...rest } = parameter;
  const isKept = (bound: string) => isRelative(parameter, bound) === relative;
  return {
    ...rest,
    ...(min !== undefined && isKept(min) && { min }),
    ...(max !== undefined && isKept(max) && { max }),
  };
}

/** Why a relative text does not fit the type. */
export function relativeProblem({ type }: Pick<Parameter, 'type'>, text: string): string | undefined {
  const unit = parseRelativeTime(text)?.unit;
  if (type !== 'date' || unit === undefined || unit === 'd' || unit === 'w') return undefined;
  return 'a date is relative by days or weeks, as in -1d';
}

function timeText(type: TimeType, ms: number): string {
  const text = isoText(ms * 1000);
  if (type === 'date') return text.slice(0, 10);
  return type === 'datetime' ? text.slice(0, -1) : text;
}
