import { nearestName, quoteShort } from '@querygate/text';
import { GatewayError } from '../../errors.ts';
import type { Parameter, SavedQuery } from '../model/saved-query.ts';
import { checkPlain, checkValue, nearValue, oneOf } from './check-value.ts';
import { exampleValue } from './example-parameters.ts';
import { invalid, type RawParameters, rawTexts, textsOf } from './list-values.ts';
import { isRelative, type ResolvedText, resolveDefault, withResolvedBounds } from './times.ts';

export { plainParameters, type RawParameters } from './list-values.ts';

/** The value of a parameter as canonical text; that of a list as the texts of its elements. */
export type BoundValue = string | readonly string[];

/** By the names of parameters. */
export type BoundValues = Readonly<Record<string, BoundValue>>;

/** A saved query with checked parameters: what an engine runs. Defaults and fallbacks are applied. */
export interface BoundQuery {
  readonly query: SavedQuery;
  /** One entry for every declared parameter; '' for an absent optional one, and [] for an absent list. */
  readonly parameters: BoundValues;
  /**
   * From then on the same request is bound to other values, or refused: it has a default or a bound that is relative to
   * the time. Milliseconds since the epoch.
   */
  readonly validUntil?: number;
  /** When it was bound, if it is not valid for ever: a clock that is set back to before then makes it wrong too. */
  readonly validFrom?: number;
  /** From then on a relative default that the request has used is another value. Milliseconds since the epoch. */
  readonly defaultsUntil?: number;
  /**
   * A caller's SELECT over the common tables of the query, to run in place of its last SELECT. It is not checked yet: an
   * engine runs it only through the compiler's sandbox.
   */
  readonly sql?: string;
  /** Labels for the engine's bill. They do not affect the result and are not part of the cache key. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Checks a caller's parameters against the declarations of a saved query.
 *
 * @param raw names that the query does not declare are ignored
 * @param now what relative defaults and bounds count from, in milliseconds since the epoch
 * @throws GatewayError MISSING_PARAMETER | INVALID_PARAMETER, naming the parameter and what would be right
 */
export function bind(query: SavedQuery, raw: RawParameters, now = Date.now()): BoundQuery {
  return bindTexts(query, (parameter) => rawTexts(parameter, raw), now, raw.keys());
}

/**
 * True if a query must be bound again, because of values that are relative to the time.
 *
 * @param now milliseconds since the epoch
 */
export const isOutdated = (
  { validFrom, validUntil }: Pick<BoundQuery, 'validFrom' | 'validUntil'>,
  now: number,
): boolean => validUntil !== undefined && (validUntil <= now || (validFrom ?? now) > now);

/**
 * As `bind`, with the texts of each parameter from a function; undefined means absent.
 *
 * @param given the names that the caller has sent, of which one may be meant for a missing parameter
 */
export function bindTexts(
  query: SavedQuery,
  textsOfParameter: (parameter: Parameter) => readonly string[] | undefined,
  now: number,
  given: Iterable<string> = [],
): BoundQuery {
  let defaultsUntil = Number.POSITIVE_INFINITY;
  let boundsUntil = Number.POSITIVE_INFINITY;
  const values = query.parameters.map((parameter) => {
    const texts = textsOfParameter(parameter);
    const isMissing =
      parameter.required && (texts ? isNoList(parameter, texts) : parameter.default === undefined);
    if (isMissing) throw missing(parameter, query, given);
    if (texts !== undefined) {
      boundsUntil = Math.min(boundsUntil, boundsHoldUntil(parameter, now));
      return [parameter.name, checkTexts(parameter, texts, now)] as const;
    }
    const { value, until } = defaultValue(parameter, query.caching, now);
    defaultsUntil = Math.min(defaultsUntil, until);
    return [parameter.name, value] as const;
  });
  const validUntil = Math.min(defaultsUntil, boundsUntil);
  return {
    query,
    parameters: Object.fromEntries(values),
    ...(validUntil < Number.POSITIVE_INFINITY && { validUntil, validFrom: now }),
    ...(defaultsUntil < Number.POSITIVE_INFINITY && { defaultsUntil }),
  };
}

const isNoList = ({ repeated }: Parameter, texts: readonly string[]) => repeated && texts.length === 0;

interface TimedValue {
  readonly value: BoundValue;
  /** From then on it may be another one, in milliseconds since the epoch. */
  readonly until: number;
}

/** The value of an absent parameter. Its header was checked when it was loaded, so a default has no bounds. */
function defaultValue(parameter: Parameter, caching: SavedQuery['caching'], now: number): TimedValue {
  const { default: text, repeated } = parameter;
  if (text === undefined) return { value: repeated ? [] : '', until: Number.POSITIVE_INFINITY };
  const resolved = textsOf(text).map((one) => defaultText(parameter, one, caching, now));
  const values = resolved.map((one) => one.text);
  const until = Math.min(...resolved.map((one) => one.until));
  return { value: repeated ? values : (values[0] ?? ''), until };
}

function defaultText(
  parameter: Parameter,
  text: string,
  caching: SavedQuery['caching'],
  now: number,
): ResolvedText {
  const relative = resolveDefault(parameter, text, caching, now);
  if (relative !== undefined) return relative;
  const checked = parameter.type === 'enum' ? { value: text } : checkPlain(parameter, text);
  return { text: 'value' in checked ? checked.value : text, until: Number.POSITIVE_INFINITY };
}

function checkTexts(parameter: Parameter, texts: readonly string[], now: number): BoundValue {
  if (parameter.repeated) {
    const bounded = withResolvedBounds(parameter, now);
    return texts.map((text, at) => checkText(bounded, text, now, at));
  }
  return checkText(parameter, texts[0] ?? '', now, 0);
}

/** @param at its place in a list, from 0 */
function checkText(parameter: Parameter, text: string, now: number, at: number): string {
  const checked = checkValue(parameter, text, now);
  if ('value' in checked) return checked.value;
  const fallback = fallbackOf(parameter);
  if (fallback !== undefined) return fallback;
  const advice = listAdvice(parameter, text) || nearValue(parameter, text);
  throw invalid(parameter, `got ${quoteShort(text)}; ${checked.wrong}${advice}`, at, checked.hasLostPlus);
}

/** The value used in place of one that is not listed; undefined if such a value is refused. */
const fallbackOf = (parameter: Parameter): string | undefined =>
  parameter.type === 'enum' && parameter.unknown === 'default' && typeof parameter.default === 'string'
    ? parameter.default
    : undefined;

/** Values that are not listed, and in whose place the default is used. */
export function fallbacks(query: SavedQuery, raw: RawParameters): readonly Fallback[] {
  return query.parameters.flatMap((parameter) => {
    const used = fallbackOf(parameter);
    const [text = ''] = raw.get(parameter.name) ?? [];
    if (used === undefined || parameter.type !== 'enum' || text === '') return [];
    const isListed = 'value' in checkValue(parameter, text, 0);
    return isListed
      ? []
      : [{ name: parameter.name, text, used, values: parameter.values.map(({ value }) => value) }];
  });
}

/** A default that is used in place of a value. */
interface Fallback {
  readonly name: string;
  readonly text: string;
  readonly used: string;
  readonly values: readonly string[];
}

/** Many services take lists with commas. */
function listAdvice({ name, type, repeated }: Parameter, text: string): string {
  if (!repeated || type === 'string' || !text.includes(',')) return '';
  return `; repeat the parameter instead of separating values by commas: ${name}=…&${name}=…`;
}

/** How long a value that is within relative bounds is taken to be so. */
const boundsHoldMs = 60_000;

function boundsHoldUntil(parameter: Parameter, now: number): number {
  const { min, max } = parameter;
  const isTimed = [min, max].some((bound) => bound !== undefined && isRelative(parameter, bound));
  return isTimed ? now + boundsHoldMs : Number.POSITIVE_INFINITY;
}

function missing(parameter: Parameter, query: SavedQuery, given: Iterable<string>): GatewayError {
  const { name } = parameter;
  const others = [...given].filter((other) => query.parameters.every((one) => one.name !== other));
  // Short names are near many.
  const other = nearestName(name, others, Math.floor(name.length / 3));
  const meant = other === undefined ? '' : `; got ${quoteShort(other)} in place of its name`;
  const message = `${name}: is required; ${rightValue(parameter)}${meant}`;
  return new GatewayError('MISSING_PARAMETER', message, { parameter: name });
}

function rightValue(parameter: Parameter): string {
  if (parameter.type === 'enum') return oneOf(parameter.values);
  const { description, example } = parameter;
  const right = description.charAt(0).toLowerCase() + description.slice(1);
  const [text] = example === undefined ? [] : textsOf(exampleValue(parameter) ?? example);
  // Many descriptions have one.
  if (text === undefined || text === '' || right.includes(text)) return right;
  return `${right.replace(/\.$/, '')}, as in ${quoteShort(text)}`;
}
