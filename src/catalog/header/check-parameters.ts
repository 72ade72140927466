import { didYouMean } from '@querygate/text';
import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import { compareValues, hasOrder } from '../binding/check-bounds.ts';
import { type Checked, checkPattern, expandedLength } from '../binding/patterns/check-pattern.ts';
import { canonicalText, checkPlain, checkValue, oneOf } from '../binding/check-value.ts';
import { listSizeProblem, textProblem, textsOf } from '../binding/list-values.ts';
import { isRelative, relativeProblem, resolveBound, withBounds } from '../binding/times.ts';
import { maxBoundPatternLength } from '../binding/value-limits.ts';
import type { EnumParameter, Parameter, ParameterText } from '../model/saved-query.ts';
import type { Header } from './header-schema.ts';
import { bindTypesOf, toParameter } from './to-parameter.ts';

type Declared = Header['parameters'][string];

/** A problem with a key of a parameter. */
interface KeyProblem {
  readonly key: string;
  readonly message: string;
}

/** Checks each parameter by itself: which keys fit together, its bounds, and its values against them. */
export function checkParameters({ parameters }: Pick<Header, 'parameters'>): readonly SchemaProblem[] {
  return Object.entries(parameters).flatMap(([name, declared]) => {
    const path = ['parameters', name];
    const keys = [...keyProblems(declared), ...boundProblems(declared)];
    // A value cannot be compared with a bound that is wrong.
    const problems = keys.length > 0 ? keys : valueProblems(toParameter(name, declared));
    return [
      ...problems.map(({ key, message }) => problem([...path, key], message)),
      ...(declared.type === 'enum' ? checkSpellings([...path, 'values'], declared.values) : []),
    ];
  });
}

function keyProblems(declared: Declared): readonly KeyProblem[] {
  const { type, bind, repeated, max_items, max_length, pattern, required } = declared;
  const problems: KeyProblem[] = [];
  const add = (key: string, message: string) => problems.push({ key, message });
  if (required && declared.default !== undefined)
    add('default', 'a required parameter cannot have a default');
  if (bind !== undefined && !bindTypesOf[type].includes(bind))
    add('bind', `a parameter of type ${type} can be bound as ${bindTypesOf[type].join(', ')}`);
  if (repeated && type === 'pattern')
    add('repeated', 'a pattern cannot be repeated: | separates alternatives');
  if (max_items !== undefined && !repeated) add('max_items', 'needs repeated: true');
  if (max_length !== undefined && type !== 'string') add('max_length', 'needs type: string');
  if (pattern !== undefined && type !== 'string') add('pattern', 'needs type: string');
  for (const key of ['default', 'example'] as const) {
    const value = declared[key];
    if (Array.isArray(value) && !repeated) add(key, 'a list needs repeated: true');
  }
  if (type === 'enum') problems.push(...enumProblems(declared));
  return problems;
}

function enumProblems(declared: Extract<Declared, { type: 'enum' }>): readonly KeyProblem[] {
  const { unknown, values, repeated } = declared;
  const problems: KeyProblem[] = [];
  if (unknown === 'default' && repeated)
    problems.push({ key: 'unknown', message: 'default cannot be used with repeated: true' });
  else if (unknown === 'default' && declared.default === undefined)
    problems.push({ key: 'unknown', message: 'default needs a default value' });
  const names = Object.values(values).map(({ name }) => name);
  for (const duplicate of names.filter((value, at) => names.indexOf(value) !== at))
    problems.push({ key: 'values', message: `two values have the name ${duplicate}` });
  return problems;
}

function boundProblems(declared: Declared): readonly KeyProblem[] {
  const { type, min, max, pattern } = declared;
  const problems: KeyProblem[] = [];
  for (const [key, text] of Object.entries({ min, max })) {
    const message = text === undefined ? undefined : boundProblem(declared, text);
    if (message !== undefined) problems.push({ key, message });
  }
  const now = Date.now();
  const areComparable = isRelative(declared, min ?? '') === isRelative(declared, max ?? '');
  if (problems.length === 0 && min !== undefined && max !== undefined && areComparable) {
    const [least = min, greatest = max] = [min, max].map((text) =>
      resolveBound(declared, canonicalText({ type, bind: declared.bind }, text), now),
    );
    if (compareValues({ type, bind: declared.bind }, least, greatest) > 0)
      problems.push({ key: 'min', message: `${min} is more than max, ${max}` });
  }
  const message = pattern === undefined ? undefined : patternProblem(pattern);
  if (message !== undefined) problems.push({ key: 'pattern', message });
  return problems;
}

function patternProblem(pattern: string): string | undefined {
  const checked = checkPattern(pattern);
  if ('wrong' in checked) return checked.wrong;
  if (expandedLength(pattern) <= maxBoundPatternLength) return undefined;
  return `must be a regular expression of at most ${maxBoundPatternLength} characters with its {counts} expanded`;
}

function boundProblem({ type, bind }: Declared, text: string): string | undefined {
  if (!hasOrder(type))
    return 'only an integer, a float, a date, a datetime and a timestamp have bounds; a string has max_length and pattern';
  if (isRelative({ type }, text)) return relativeProblem({ type }, text);
  const checked = checkPlain({ type, bind }, text);
  return 'wrong' in checked ? checked.wrong + relativeAdvice(type) : undefined;
}

function valueProblems(parameter: Parameter): readonly KeyProblem[] {
  const now = Date.now();
  return (['default', 'example'] as const).flatMap((key) => {
    const value = parameter[key];
    const message = value === undefined ? undefined : valueProblem(parameter, value, now);
    return message === undefined ? [] : [{ key, message }];
  });
}

const meantValue = ({ values }: EnumParameter, text: string) =>
  didYouMean(
    text,
    values.map(({ value }) => value),
  );

/**
 * Why a default or an example is not a value of its parameter. Relative ones are compared with relative bounds only, and others
 * with others: a file that is valid today must be valid tomorrow.
 */
function valueProblem(parameter: Parameter, value: ParameterText, now: number): string | undefined {
  const { repeated, type } = parameter;
  const texts = textsOf(value);
  const size = repeated ? listSizeProblem(parameter, texts) : undefined;
  if (size !== undefined) return size;
  for (const [at, text] of texts.entries()) {
    const isTimed = isRelative(parameter, text);
    const checked = isTimed
      ? checkValue(withBounds(parameter, true), resolveBound(parameter, text, now), now)
      : checkDeclared(withBounds(parameter, false), text, now);
    const wrong =
      textProblem(text) ??
      (isTimed ? relativeProblem(parameter, text) : undefined) ??
      ('wrong' in checked ? checked.wrong + (isTimed ? '' : relativeAdvice(type)) : undefined);
    if (wrong === undefined) continue;
    const right = parameter.type === 'enum' ? `must be ${wrong}${meantValue(parameter, text)}` : wrong;
    return repeated ? `value ${at + 1}: ${right}` : right;
  }
  return undefined;
}

/** As `checkValue`; of an enum, the header has the values themselves, not other spellings of them. */
function checkDeclared(parameter: Parameter, text: string, now: number): Checked {
  if (parameter.type !== 'enum') return checkValue(parameter, text, now);
  const isListed = parameter.values.some(({ value }) => value === text);
  return isListed ? { value: text } : { wrong: oneOf(parameter.values) };
}

function relativeAdvice(type: Parameter['type']): string {
  if (type === 'date') return ', or relative to today, as in -1d';
  return type === 'datetime' || type === 'timestamp' ? ', or relative to now, as in -12h' : '';
}

/** A text must mean one value. */
function checkSpellings(
  path: readonly string[],
  values: Readonly<Record<string, { readonly also: readonly string[] }>>,
): readonly SchemaProblem[] {
  const meaning = new Map(Object.keys(values).map((value) => [value, value]));
  return Object.entries(values).flatMap(([value, { also }]) =>
    also.flatMap((text, at) => {
      const other = meaning.get(text);
      meaning.set(text, value);
      const message = `${text} is already a spelling of ${other}`;
      return other === undefined
        ? []
        : [
            {
              path: [...path, value, 'also', String(at)],
              message: `${[...path, value, 'also'].join('.')}: ${message}`,
            },
          ];
    }),
  );
}
