import type { z } from 'zod';
import { didYouMean } from '@querygate/text';

/** One problem of a document, at the path of the value that has it. */
export interface SchemaProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A problem whose message begins with its path. */
export function problem(path: readonly (string | number)[], message: string): SchemaProblem {
  return { path, message: `${path.join('.')}: ${message}` };
}

/** Zod's issues as problems whose messages begin with the path, as in `keys.0.name: is missing`. */
export function schemaProblems({ issues }: Pick<z.core.$ZodError, 'issues'>): readonly SchemaProblem[] {
  const all = issues.flatMap(withinUnion).flatMap(atEachKey);
  const misspelt = new Set(all.flatMap(meantKey));
  // A rule between the keys of an object may be broken by the misspelt one.
  const objects = new Set(
    all.filter((one) => meantKey(one).length > 0).map(({ path }) => JSON.stringify(path)),
  );
  // A rule about a value of the wrong form says nothing more.
  const wrongForms = new Set(
    all
      .filter(({ code }) => code !== 'custom' && code !== 'unrecognized_keys')
      .map(({ path }) => JSON.stringify(path)),
  );
  const isFollowed = (path: readonly PropertyKey[]) => {
    const at = JSON.stringify(path);
    return objects.has(at) || wrongForms.has(at);
  };
  return all
    .filter(({ path, message }) => !message.startsWith(isMissing) || !misspelt.has(JSON.stringify(path)))
    .filter(({ path, code }) => code !== 'custom' || !isFollowed(path))
    .map(({ path, place, message }) => ({
      path: place,
      message: [path.join('.'), message].filter((part) => part !== '').join(': '),
    }));
}

interface PlacedIssue extends Pick<z.core.$ZodIssue, 'code' | 'path' | 'message'> {
  readonly place: readonly PropertyKey[];
}

/** The path of an unknown key leads to its own line. */
function atEachKey(issue: z.core.$ZodIssue): readonly PlacedIssue[] {
  const { code, path, message } = issue;
  if (code !== 'unrecognized_keys') return [{ code, path, message, place: path }];
  const messages = message.split(betweenKeys);
  return issue.keys
    .slice(0, maxUnknownKeys)
    .map((key, at) => ({ code, path, message: messages[at] ?? message, place: [...path, key] }));
}

/** A caller can send thousands, and each one is compared with all known ones. */
const maxUnknownKeys = 100;

/** Zod has one issue, and so one message, for all unknown keys of an object. */
const betweenKeys = '\0';

const isMissing = 'is missing';

/** The path of the key that an unknown one is meant to be: that it is missing is the same problem. */
function meantKey({ path, message }: PlacedIssue): readonly string[] | string {
  const key = /^unknown: .*; did you mean (\S+)\?$/.exec(message)?.[1];
  return key === undefined ? [] : JSON.stringify([...path, key]);
}

/**
 * The issues inside of the one variant of a union that a value is meant to be, because it has that variant's type; the
 * issue of the union itself if no variant has it.
 */
function withinUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.filter((issues) => issues.some(isWithin));
  if (meant.length !== 1) return [issue];
  return meant.flat().flatMap((one) => withinUnion({ ...one, path: [...issue.path, ...one.path] }));
}

const isWithin = ({ code, path }: z.core.$ZodIssue): boolean =>
  path.length > 0 || code === 'unrecognized_keys';

/** Zod's option `error`: plain messages for issues to which the schema itself gives none. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? isMissing : wrongType(issue.expected, issue.input);
    case 'too_small':
      return sizeProblem(issue.origin, 'least', issue.minimum);
    case 'too_big':
      return sizeProblem(issue.origin, 'most', issue.maximum);
    case 'invalid_value': {
      const values = issue.values.map(String);
      const hint = typeof issue.input === 'string' ? didYouMean(issue.input, values) : '';
      return `${issue.input === undefined ? `${isMissing}; ` : ''}must be one of ${values.join(', ')}${hint}`;
    }
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid name';
    case 'unrecognized_keys':
      return unknownKeys(issue, {});
    default:
      return undefined;
  }
}

/**
 * The option `error` of a schema of an object: unknown keys that are other words for what it has.
 *
 * @param words for each of them the right key, or advice as text
 */
export const otherWords =
  (words: Readonly<Record<string, string>>) =>
  (issue: z.core.$ZodRawIssue): string | undefined =>
    issue.code === 'unrecognized_keys' ? unknownKeys(issue, words) : undefined;

type UnknownKeys = Extract<z.core.$ZodRawIssue, { readonly code: 'unrecognized_keys' }>;

function unknownKeys({ keys, input, inst }: UnknownKeys, words: Readonly<Record<string, string>>): string {
  const known = knownKeys(inst);
  const absent = known.filter((key) => !Object.hasOwn(Object(input), key));
  const hintOf = (key: string) => {
    if (/\s/.test(key)) return '; a text that contains a comma must be in quotes inside { }';
    const word = Object.hasOwn(words, key) ? words[key] : undefined;
    if (word !== undefined) return known.includes(word) ? `; did you mean ${word}?` : `; ${word}`;
    return didYouMean(key, absent) || didYouMean(key, known);
  };
  return keys
    .slice(0, maxUnknownKeys)
    .map((key) => `unknown: ${key}${hintOf(key)}`)
    .join(betweenKeys);
}

function wrongType(expected: string, input: unknown): string {
  if (input === null) return `has no value: it must be ${withArticle(expected)}`;
  // YAML takes 1.10 and True for values of other types.
  return expected === 'string' && (typeof input === 'number' || typeof input === 'boolean')
    ? 'must be text: put it in quotes'
    : `must be ${withArticle(expected)}${quotedAdvice(expected, input)}`;
}

/** A number or a boolean in quotes is a text, and so is a number with separators. */
function quotedAdvice(expected: string, input: unknown): string {
  if (typeof input !== 'string') return '';
  const isNumber = expected === 'number' || expected === 'int';
  if (
    isNumber ? /^[+-]?\d+(?:\.\d+)?$/.test(input) : expected === 'boolean' && /^(?:true|false)$/i.test(input)
  )
    return ': remove its quotes';
  const digits = input.replaceAll(/[_,' ]/g, '');
  return isNumber && /^\d+$/.test(digits) ? `, as in ${digits}` : '';
}

/** @param origin the kind of value: a number has bounds, a text and a list have a length */
function sizeProblem(origin: string, side: 'least' | 'most', bound: number | bigint): string {
  if (origin !== 'string' && origin !== 'array') return `must be at ${side} ${bound}`;
  if (side === 'least' && bound === 1) return 'must not be empty';
  return `must have at ${side} ${bound} ${origin === 'string' ? 'characters' : 'entries'}`;
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  if (type === 'boolean') return 'true or false';
  const name = type === 'record' ? 'object' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** The option `error` of a schema of an object: a value of another type is answered with the form of the right one. */
export const asIn =
  (form: string) =>
  ({ code, input }: z.core.$ZodRawIssue): string | undefined =>
    code === 'invalid_type' && input !== undefined ? `must be an object, as in ${form}` : undefined;

/** The keys of the schema of an object. */
function knownKeys(schema: unknown): readonly string[] {
  const { shape } = (schema as { readonly def?: { readonly shape?: object } } | undefined)?.def ?? {};
  return Object.keys(shape ?? {});
}
