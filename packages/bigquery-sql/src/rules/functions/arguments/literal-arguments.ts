import type * as Syntax from '../../../syntax/nodes.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isScalar, type ScalarName, scalar } from '../../../types.ts';
import { writtenValue } from '../../expressions/constant-values.ts';
import { literalInterval } from '../../expressions/intervals.ts';
import { requireMoment } from '../../moment-text.ts';
import { Unsupported, WrongLiteral } from '../../unsupported.ts';

/** Why an argument is wrong, whatever the others are; undefined if it is not, or if it is no literal. */
type Check = (value: Expression, args: readonly Expression[]) => string | undefined;

/** An argument by its number, from 0, and its check. */
type Checked = readonly [at: number, check: Check];

/**
 * Refuses literals with which a call fails in every row, before a caller runs it.
 *
 * @throws WrongLiteral
 */
export function requireLiterals(node: Syntax.FunctionCall, name: string, args: readonly Expression[]): void {
  // The value is NULL, whatever the others are.
  if (args.some((arg) => arg.kind === 'literal' && arg.value === null)) return;
  for (const [at, check] of checks.get(name) ?? []) {
    const value = args[at];
    const problem = value && check(value, args);
    if (problem !== undefined)
      throw new WrongLiteral(node.args[at] ?? node, `${name.toUpperCase()}: ${problem}`);
  }
  const type = moments[name];
  if (type !== undefined && args.length < 3) requireMomentText(node, args[0], type);
}

/** Functions that read a moment from a text. */
const moments: Readonly<Record<string, ScalarName>> = {
  date: 'DATE',
  datetime: 'DATETIME',
  time: 'TIMESTAMP',
  timestamp: 'TIMESTAMP',
};

function requireMomentText(node: Syntax.FunctionCall, value: Expression | undefined, type: ScalarName): void {
  const text = value && textOf(value);
  if (text === undefined) return;
  try {
    requireMoment(node.args[0] ?? node, text, scalar(type));
  } catch (error) {
    throw error instanceof Unsupported && !(error instanceof WrongLiteral)
      ? new WrongLiteral(error.place, error.message)
      : error;
  }
}

const textOf = (value: Expression): string | undefined => {
  const text = writtenValue(value);
  return typeof text === 'string' && isScalar(value.type, 'STRING') ? text : undefined;
};

const integerOf = (value: Expression): bigint | undefined => {
  const number = writtenValue(value);
  return typeof number === 'bigint' ? number : undefined;
};

const notNegative =
  (what: string): Check =>
  (value) =>
    (integerOf(value) ?? 0n) < 0n ? `the ${what} must not be negative` : undefined;

const notZero: Check = (value) =>
  Number(integerOf(value) ?? 1n) === 0 ? 'the step must not be 0' : undefined;

const ofText =
  (isWrong: (text: string) => boolean, problem: string): Check =>
  (value) => {
    const text = textOf(value);
    return text !== undefined && isWrong(text) ? problem : undefined;
  };

/**
 * Escapes, quoted text, classes and groups that capture nothing, in a regular expression. One without an end
 * ends with the text: it is not read again from each of its characters.
 */
const noGroup =
  /\\Q(?:[^\\]|\\(?!E))*(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*(?:\]|\\?$)|\(\?(?!P<|<[A-Za-z_])/gs;

const groupsIn = (pattern: string): number => pattern.replaceAll(noGroup, '').split('(').length - 1;

const oneGroup = ofText(
  (text) => groupsIn(text) > 1,
  'the regular expression has several groups in ( ): write (?: ) for those that are not extracted',
);

const ofGroups: Check = (value, [, pattern]) => {
  const [text, groups] = [textOf(value), pattern && textOf(pattern)];
  if (text === undefined || groups === undefined) return undefined;
  const last = groupsIn(groups);
  const wrong = [...text.matchAll(/\\(.?)/gs)].find(
    ([, sign = '']) => sign !== '\\' && !(/\d/.test(sign) && Number(sign) <= last),
  );
  return wrong && `the regular expression has no group for ${wrong[0]}`;
};

const jsonPath = ofText(
  (text) => !/^\s*(?:[a-z]+\s+)*\$/i.test(text),
  'a JSONPath begins with $, as in $.a.b[0]',
);

/** DuckDB refuses the other paths that are wrong when it plans the query. */
const afterModifiers: Check = (value, args) =>
  /^\s*(?:lax|recursive)\b/i.test(textOf(value) ?? '') ? jsonPath(value, args) : undefined;

const pathsAt = (...numbers: readonly number[]): readonly Checked[] =>
  numbers.map((at) => [at, jsonPath] as const);

const notRoot = ofText((text) => text === '$', 'the JSONPath $ would remove the whole value');

const ascending: Check = (value) => {
  if (value.kind !== 'list') return undefined;
  const numbers = value.items.map(integerOf);
  return numbers.some((number, at) => number !== undefined && number < (numbers[at - 1] ?? number))
    ? 'the array must be in ascending order'
    : undefined;
};

/** @param wrongPart the part of an interval that the function does not take */
const width =
  (wrongPart?: 'months' | 'time'): Check =>
  (value) => {
    const { part, amount } = literalInterval(value) ?? {};
    if (amount === undefined) return undefined;
    if (amount <= 0n) return 'the width must be more than 0';
    if (part !== wrongPart) return undefined;
    return `the width takes no ${wrongPart === 'months' ? 'months and years' : 'parts of a day'}`;
  };

const roundingModes: readonly string[] = ['ROUND_HALF_AWAY_FROM_ZERO', 'ROUND_HALF_EVEN'];

const checks: ReadonlyMap<string, readonly Checked[]> = new Map(
  Object.entries({
    left: [[1, notNegative('length')]],
    right: [[1, notNegative('length')]],
    repeat: [[1, notNegative('number')]],
    lpad: [[1, notNegative('length')]],
    rpad: [[1, notNegative('length')]],
    substr: [[2, notNegative('length')]],
    substring: [[2, notNegative('length')]],
    translate: [[1, ofText((text) => new Set(text).size < [...text].length, 'a character occurs twice')]],
    round: [
      [2, ofText((text) => !roundingModes.includes(text), `the mode is ${roundingModes.join(' or ')}`)],
    ],
    generate_array: [[2, notZero]],
    generate_date_array: [[2, notZero]],
    generate_timestamp_array: [[2, notZero]],
    date_bucket: [[1, width('time')]],
    datetime_bucket: [[1, width()]],
    timestamp_bucket: [[1, width('months')]],
    range_bucket: [[1, ascending]],
    regexp_extract: [[1, oneGroup]],
    regexp_substr: [[1, oneGroup]],
    regexp_extract_all: [[1, oneGroup]],
    regexp_instr: [[1, oneGroup]],
    regexp_replace: [[2, ofGroups]],
    json_set: pathsAt(1, 3, 5),
    json_array_append: pathsAt(1, 3, 5),
    json_array_insert: pathsAt(1, 3, 5),
    json_remove: [[1, notRoot], [2, notRoot], ...pathsAt(1, 2, 3)],
    json_query: [[1, afterModifiers]],
    json_value: [[1, afterModifiers]],
  } satisfies Readonly<Record<string, readonly Checked[]>>),
);
