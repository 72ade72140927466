import { GatewayError } from '../../errors.ts';
import type { Parameter, ParameterText } from '../model/saved-query.ts';
import { defaultMaxItems, maxListLength, maxMatchedLength, maxValueLength } from './value-limits.ts';

/** Parameters as received: all values of each name, in the order of the request. A list may have none. */
export type RawParameters = ReadonlyMap<string, readonly string[]>;

/** Raw parameters with one value for each name, or with the values of a list. */
export function plainParameters(values: Readonly<Record<string, ParameterText>>): RawParameters {
  return new Map(Object.entries(values).map(([name, value]) => [name, textsOf(value)]));
}

/** The texts of a value: one, or those of a list. */
export const textsOf = (value: ParameterText): readonly string[] =>
  typeof value === 'string' ? [value] : value;

/**
 * The texts of a parameter: one, or those of a list, which may have none; undefined if it is absent. Empty equals absent:
 * existing clients send `function_id=` for "all functions".
 *
 * @throws GatewayError INVALID_PARAMETER if there are too many, or one that no parameter may have
 */
export function rawTexts(parameter: Parameter, raw: RawParameters): readonly string[] | undefined {
  const texts = raw.get(parameter.name);
  if (texts === undefined || (texts.length === 1 && texts[0] === '')) return undefined;
  if (parameter.repeated) {
    const problem = listSizeProblem(parameter, texts);
    if (problem !== undefined) throw invalid(parameter, problem);
    const empty = texts.indexOf('');
    if (empty >= 0) throw invalid(parameter, 'is empty; leave it out', empty);
    for (const [at, text] of texts.entries()) requireText(parameter, text, at);
    return texts;
  }
  if (texts.length > 1) throw invalid(parameter, 'is repeated; send it once');
  const [text] = texts;
  if (text !== undefined) requireText(parameter, text);
  return text === undefined ? undefined : texts;
}

/** Why there are too many values for a list, or too long ones; undefined if there are not. */
export function listSizeProblem(
  parameter: Pick<Parameter, 'maxItems' | 'pattern'>,
  texts: readonly string[],
): string | undefined {
  const tooMany = listLengthProblem(parameter, texts);
  if (tooMany !== undefined) return tooMany;
  const { pattern } = parameter;
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const most = pattern === undefined ? maxListLength : maxMatchedLength;
  return length > most ? `has values of ${length} characters in all; the limit is ${most}` : undefined;
}

/** Why there are too many values for a list, before any of them is read; undefined if there are not. */
export const listLengthProblem = (
  { maxItems = defaultMaxItems }: Pick<Parameter, 'maxItems'>,
  { length }: readonly unknown[],
): string | undefined => (length > maxItems ? `has ${length} values; the limit is ${maxItems}` : undefined);

function requireText(parameter: Parameter, text: string, at?: number): void {
  const problem = textProblem(text);
  if (problem !== undefined) throw invalid(parameter, problem, at);
}

/** Why no parameter may have the value; undefined if one may. */
export function textProblem(text: string): string | undefined {
  if (text.length > maxValueLength) return `has ${text.length} characters; the limit is ${maxValueLength}`;
  if (text.includes('\0')) return 'contains a NUL byte; remove it';
  return text.isWellFormed() ? undefined : notUnicode;
}

/** Why no text may have the half of a surrogate pair. */
export const notUnicode = 'is not well-formed Unicode; send UTF-8, percent-encoded';

/** @param at the place of the wrong value in a list, from 0 */
export function invalid(
  { name, repeated }: Parameter,
  what: string,
  at?: number,
  hasLostPlus = false,
): GatewayError {
  const place = repeated && at !== undefined ? `value ${at + 1}: ` : '';
  return new GatewayError('INVALID_PARAMETER', `${name}: ${place}${what}`, { parameter: name, hasLostPlus });
}
