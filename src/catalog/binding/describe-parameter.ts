import { decimalOf } from '@querygate/bigquery-sql/types';
import { parseDecimal } from '@querygate/text';
import type { Parameter, ParameterText } from '../model/saved-query.ts';
import { textsOf } from './list-values.ts';
import { isRelative } from './times.ts';
import { defaultMaxItems } from './value-limits.ts';

/** A parameter as sentences for callers: its description, and the bounds that its type does not imply. */
export function describeParameter(parameter: Parameter): readonly string[] {
  const { description, repeated, maxItems = defaultMaxItems } = parameter;
  return [
    description,
    ...(repeated ? [`At most ${maxItems} values.`] : []),
    ...rangeTexts(parameter),
    ...(parameter.maxLength === undefined ? [] : [`At most ${parameter.maxLength} characters.`]),
    ...(parameter.pattern === undefined ? [] : [`Must match the regular expression ${parameter.pattern}`]),
    ...defaultInWords(parameter),
  ];
}

function rangeTexts(parameter: Parameter): readonly string[] {
  const { max, min } = parameter;
  const text = (bound: string) => (isRelative(parameter, bound) ? distanceText(parameter, bound) : bound);
  if (min !== undefined && max !== undefined) return [`From ${text(min)} to ${text(max)}.`];
  if (min !== undefined) return [`At least ${text(min)}.`];
  return max === undefined ? [] : [`At most ${text(max)}.`];
}

/**
 * True if schemas can have a value of the header. One that is relative to the time would have to be one date for ever,
 * and numbers of JSON round large integers and long decimals.
 */
export const fitsSchemas = (parameter: Parameter, value: ParameterText): boolean =>
  textsOf(value).every((text) => !isRelative(parameter, text) && isExactNumber(parameter, text));

/** A value of the header as JSON and GraphQL have it: the header has text. @param value that `fitsSchemas` */
export function typedValue({ type }: Parameter, value: ParameterText): unknown {
  const typed = (text: string): unknown => {
    if (type === 'boolean') return text.toLowerCase() === 'true';
    return type === 'integer' || type === 'float' ? Number(text) : text;
  };
  return typeof value === 'string' ? typed(value) : value.map(typed);
}

function isExactNumber({ type, bind }: Parameter, text: string): boolean {
  if (type === 'integer') return Number.isSafeInteger(Number(text));
  const decimal = decimalOf(bind);
  if (decimal === undefined) return true;
  return parseDecimal(String(Number(text)), decimal) === parseDecimal(text, decimal);
}

/** A default that schemas do not have. */
function defaultInWords(parameter: Parameter): readonly string[] {
  if (parameter.default === undefined || fitsSchemas(parameter, parameter.default)) return [];
  const texts = textsOf(parameter.default);
  const shown = texts.map((text) => (isRelative(parameter, text) ? distanceText(parameter, text) : text));
  return [`Default: ${shown.join(', ')}.`];
}

const units = { m: 'minute', h: 'hour', d: 'day', w: 'week' } as const;

/** `-1d` as `1 day ago`. */
function distanceText({ type }: Parameter, text: string): string {
  const [, sign, count = '0', unit = 'd'] = /^([+-]?)0*(\d+)([mhdw])$/.exec(text) ?? [];
  if (Number(count) === 0) return type === 'date' ? 'today (UTC)' : 'now';
  const noun = units[unit as keyof typeof units];
  const distance = `${count} ${noun}${count === '1' ? '' : 's'}`;
  return sign === '-' ? `${distance} ago${type === 'date' ? ' (UTC)' : ''}` : `${distance} from now`;
}
