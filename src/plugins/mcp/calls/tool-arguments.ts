import { listShort, quoteShort } from '@querygate/text';
import { checkValue, nearValue } from '../../../catalog/binding/check-value.ts';
import { exampleValue } from '../../../catalog/binding/example-parameters.ts';
import { maxValueLength } from '../../../catalog/binding/value-limits.ts';
import { listLengthProblem, textsOf } from '../../../catalog/binding/list-values.ts';
import { mayBeRounded, roundedProblem } from '../../../catalog/binding/rounded-numbers.ts';
import type { RawParameters } from '../../../catalog/binding/bind.ts';
import type { Parameter, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { meantWords } from '../../../row-arguments/reading/other-words.ts';
import { memoize } from '../../../memoize.ts';
import { filledParameter } from '../definitions/input-schema.ts';
import type { FurtherArguments } from '../definitions/row-schemas.ts';
import type { JsonMembers } from '../protocol/message.ts';
import { nearOf, probableValue } from './suggest.ts';

/** The arguments of a tool as parameters of REST, or what is wrong with them, a line for each. */
export type ReadArguments = { readonly parameters: RawParameters } | { readonly mistakes: readonly string[] };

type EnumParameter = Extract<Parameter, { readonly type: 'enum' }>;

const noFurther: FurtherArguments = { offered: [], passedOn: [] };

/** Mistakes in one answer: each may take a comparison with all names. */
const maxMistakes = 10;

/**
 * Reads the arguments of a call. They are judged more strictly than in REST, where a parameter that is not declared is ignored
 * and an enum may have a value for all others: a model would take the rows of another question for those of its own.
 *
 * @param tenants that the key is bound to; the one of a key that has one is filled in
 */
export function readArguments(
  query: SavedQuery,
  given: JsonMembers,
  tenants: ReadonlySet<string> | undefined,
  further: FurtherArguments = noFurther,
): ReadArguments {
  const declared = new Map(query.parameters.map((parameter) => [parameter.name, parameter]));
  const filled = filledParameter(query, tenants);
  const offered = [...declared.keys(), ...further.offered].filter((name) => name !== filled);
  const mistakes: string[] = [];
  const parameters = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(given)) {
    if (mistakes.length > maxMistakes) break;
    const parameter = declared.get(name);
    if (parameter === undefined && further.passedOn.includes(name)) {
      const texts = textsIn({ repeated: false }, value);
      const wrong = typeof texts === 'string' ? texts : tooLong(texts?.[0]);
      if (wrong !== undefined) mistakes.push(`${name}: ${wrong}`);
      else if (texts !== undefined) parameters.set(name, texts as readonly string[]);
      continue;
    }
    if (parameter === undefined) {
      mistakes.push(isFilterable(query, name) ? filterAdvice(name) : unknownArgument(name, offered));
      continue;
    }
    const texts = textsIn(parameter, value);
    if (typeof texts === 'string') mistakes.push(`${name}: ${texts}`);
    else if (texts !== undefined) parameters.set(name, texts);
  }
  // Empty equals absent, as everywhere.
  if (filled !== undefined && (parameters.get(filled) ?? ['']).join() === '')
    parameters.set(filled, [...(tenants ?? [])]);
  for (const parameter of query.parameters) {
    if (mistakes.length > maxMistakes) break;
    const mistake = mistakeIn(parameter, parameters.get(parameter.name) ?? []);
    // A pattern that takes the place of the tenant is not the caller's.
    if (mistake !== undefined && !isTenant(query, parameter, tenants)) mistakes.push(mistake);
  }
  if (mistakes.length > maxMistakes)
    return { mistakes: [...mistakes.slice(0, maxMistakes), 'There are further mistakes'] };
  return mistakes.length > 0 ? { mistakes } : { parameters };
}

const isTenant = (
  { tenant }: SavedQuery,
  { name }: Parameter,
  tenants: ReadonlySet<string> | undefined,
): boolean => tenants !== undefined && tenant?.parameter === name;

/** REST has the length of a URL in the place of a limit. */
const tooLong = ({ length } = ''): string | undefined =>
  length > maxValueLength ? `has ${length} characters; the limit is ${maxValueLength}` : undefined;

const isFilterable = ({ rowArguments }: SavedQuery, name: string): boolean =>
  rowArguments?.filter.some((column) => column.name === name) ?? false;

const filterAdvice = (name: string): string =>
  `${name}: is a column; filter by it in the argument and, as in (${name}.eq.1)`;

function unknownArgument(name: string, offered: readonly string[]): string {
  const near = meantWords(name).find((word) => offered.includes(word)) ?? nearOf(name, offered);
  if (offered.length === 0) return `${quoteShort(name)}: this tool has no arguments; leave it out`;
  return `${quoteShort(name)}: there is no such argument; all are ${offered.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** @returns undefined for an absent argument, and as text what is wrong */
function textsIn(
  parameter: Pick<Parameter, 'repeated' | 'bind' | 'maxItems'> & Partial<Pick<Parameter, 'type'>>,
  value: unknown,
): readonly string[] | string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!Array.isArray(value)) {
    const text = textIn(parameter, value);
    return typeof text === 'object' ? text.wrong : [text];
  }
  if (!parameter.repeated) return `got a list of ${value.length} values; send one value`;
  const tooMany = listLengthProblem(parameter, value);
  if (tooMany !== undefined) return tooMany;
  const texts = value.map((one) => textIn(parameter, one));
  const wrong = texts.find((one) => typeof one === 'object');
  return wrong === undefined ? (texts as readonly string[]) : wrong.wrong;
}

function textIn(
  parameter: Pick<Parameter, 'bind'> & Partial<Pick<Parameter, 'type'>>,
  value: unknown,
): string | { readonly wrong: string } {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'a list in a list' : 'an object';
    return { wrong: `got ${kind}; send text, a number, true or false` };
  }
  if (parameter.type !== 'float' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return { wrong: `got ${value}, which JSON numbers round; send it as text, with all of its digits` };
  return mayBeRounded(parameter, value) ? { wrong: roundedProblem(value) } : String(value);
}

/** Says what is wrong with the values of a parameter, what would be right with its meaning, and what was probably meant. */
function mistakeIn(parameter: Parameter, texts: readonly string[]): string | undefined {
  const isAbsent = texts.length === 0 || (texts.length === 1 && texts[0] === '');
  if (isAbsent) return parameter.required ? missing(parameter) : undefined;
  if (parameter.repeated && texts.includes('')) return undefined;
  for (const [at, text] of texts.entries()) {
    const checked = checkValue(parameter, text, Date.now());
    if ('value' in checked) continue;
    const place = parameter.repeated ? `value ${at + 1}: ` : '';
    const right = parameter.type === 'enum' ? valuesOf(parameter) : checked.wrong;
    return `${parameter.name}: ${place}got ${quoteShort(text)}; ${right}${probably(parameter, text)}`;
  }
  return undefined;
}

function missing(parameter: Parameter): string {
  const right =
    parameter.type === 'enum' ? `send ${valuesOf(parameter)}` : parameter.description.replace(/\.$/, '');
  const example = parameter.type === 'enum' ? undefined : exampleValue(parameter);
  const shownExample = example === undefined ? '' : `, as in ${JSON.stringify(textsOf(example)[0])}`;
  return `${parameter.name}: is required: ${right}${shownExample}`;
}

const maxListLength = 1_000;

/** Characters of all values with their meanings; of more the values alone are listed. */
const maxMeanings = 2_000;

const valuesOf = memoize(({ values }: EnumParameter): string => {
  const meanings = values.map(({ value, description }) => `${value} (${description.replace(/\.$/, '')})`);
  const all = meanings.join(', ');
  return `one of ${all.length > maxMeanings ? listShort(values.map(({ value }) => value)) : all}`;
});

function probably(parameter: Parameter, text: string): string {
  if (parameter.repeated && isListInText(parameter, text)) return '; send an array of values';
  if (parameter.type === 'enum') return nearValue(parameter, text);
  // A rounded id is another row's.
  if (parameter.repeated && parameter.type === 'integer' && isFraction(text)) return '';
  const value = allowedValue(parameter, text);
  return value === undefined ? '' : `; the nearest is ${value}`;
}

const isFraction = (text: string): boolean =>
  !Number.isInteger(Number(text)) && Number.isFinite(Number(text));

/** `1,2`, `1 2`, `[1, 2]` */
function isListInText(parameter: Parameter, text: string): boolean {
  if (text.length > maxListLength) return false;
  const values = text
    .replaceAll(/^\s*\[|\]\s*$|"/g, '')
    .trim()
    .split(/\s*[,;|]\s*|\s+/);
  return values.length > 1 && values.every((one) => 'value' in checkValue(parameter, one, Date.now()));
}

/** The probable meaning of a value, within the bounds of the parameter. */
function allowedValue(parameter: Parameter, text: string): string | undefined {
  const { min, max } = parameter;
  const isAllowed = (value: string) => 'value' in checkValue(parameter, value, Date.now());
  const value = probableValue(parameter, text);
  if (value === undefined || isAllowed(value)) return value;
  const bound = min !== undefined && Number(value) < Number(min) ? min : max;
  return bound !== undefined && isAllowed(bound) ? bound : undefined;
}
