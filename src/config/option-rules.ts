import { didYouMean } from '@querygate/text';
import { type Problem, StartError } from '../errors.ts';
import { budgetProblem } from './budget.ts';
import { type NumberRule, numberText } from './engine-limits.ts';
import { originsProblem } from './web-origins.ts';

/** The rule for an option of the library, for callers without a type checker. */
export interface OptionRule {
  is(value: unknown): boolean;
  readonly must: string;
  /** Says what is wrong with a value of the right kind. */
  problemOf?(value: unknown): string | undefined;
  readonly isRequired?: true;
}

export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Rules of kinds that many options have. */
export const optionRule = {
  text: { is: isText, must: 'a text' },
  texts: { is: isTexts, must: 'a list of texts' },
  number: { is: (value) => typeof value === 'number', must: 'a number' },
  boolean: { is: (value) => typeof value === 'boolean', must: 'true or false' },
  function: { is: (value) => typeof value === 'function', must: 'a function' },
  object: { is: isObject, must: 'an object' },
  budget: { is: isObject, must: "an object, as in { bytes_per_day: '1TB' }", problemOf: budgetProblem },
  origins: {
    is: (value) => value === '*' || isTexts(value),
    must: "'*' or a list of origins, as in ['https://dash.example.com']",
  },
  pageOrigins: {
    is: isTexts,
    must: 'a list of texts',
    problemOf: (value) => wrongOrigins(value, 'origins, as in https://dash.example.com'),
  },
  callerOrigins: {
    is: (value) => value === '*' || isTexts(value),
    must: "'*' or a list of origins, as in ['https://dash.example.com']",
    problemOf: (value) =>
      value === '*' ? undefined : wrongOrigins(value, "'*' or origins, as in https://dash.example.com"),
  },
  log: { is: (value) => hasFunctions(value, 'info', 'child', 'isLevelEnabled'), must: 'a logger of pino' },
} as const satisfies Readonly<Record<string, OptionRule>>;

const wrongOrigins = (value: unknown, right: string) =>
  originsProblem(value, value as readonly string[], right);

/** An object with these functions. */
export function hasFunctions(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function');
}

/** A whole number within its limits. */
export const wholeNumber = ({ min, max }: Omit<NumberRule, 'byDefault'>): OptionRule => ({
  ...optionRule.number,
  problemOf: (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `got ${value}; must be ${numberText({ min, max })}`,
});

/** The rule of an option that must be given. */
export const required = (rule: OptionRule): OptionRule => ({ ...rule, isRequired: true });

/**
 * Checks the names and kinds of options. A value is not in a message: it may be a secret.
 *
 * @param of what the options belong to, as messages name it
 * @param path precedes the names of options that are in another one
 * @throws StartError with every wrong option
 */
export function checkOptions<Options>(
  of: string,
  given: unknown,
  rules: OptionRules<Options>,
  path = '',
): void {
  const problems = isObject(given)
    ? optionProblems(given, rules as Readonly<Record<string, OptionRule>>, path)
    : [
        {
          message: `${path === '' ? 'its options' : path.slice(0, -1)}: ${kindOf(given)}; must be an object`,
        },
      ];
  if (problems.length > 0) throw new StartError(`The options of ${of} have problems`, problems);
}

function optionProblems(
  given: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, OptionRule>>,
  path: string,
): readonly Problem[] {
  const names = Object.keys(rules);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  return [
    ...unknown.map((name) => ({
      message: `${path}${name}: is not an option${names.length === 0 ? '; it takes no options' : didYouMean(name, names)}`,
    })),
    ...wrongKinds(given, rules, path),
  ];
}

/** The members of an object that are missing, or of another kind than their rules say. */
export function wrongKinds(
  given: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, OptionRule>>,
  path: string,
): readonly Problem[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const value = given[name];
    if (value === undefined && rule.isRequired !== true) return [];
    const problem = rule.is(value) ? rule.problemOf?.(value) : `${kindOf(value)}; must be ${rule.must}`;
    return problem === undefined ? [] : [{ message: `${path}${name}: ${problem}` }];
  });
}

/** For messages, which have no values. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is null';
  if (value === '') return 'is an empty text';
  if (Array.isArray(value)) return 'is a list';
  if (hasFunctions(value, 'then')) return 'is a promise, which is to be awaited';
  const kind = typeof value;
  return kind === 'string' ? 'is a text' : `is ${kind === 'object' ? 'an' : 'a'} ${kind}`;
}

/** The URL of an emulator of BigQuery, without a path. */
export const emulatorUrl = /^https?:\/\/[^\s/]+$/;
