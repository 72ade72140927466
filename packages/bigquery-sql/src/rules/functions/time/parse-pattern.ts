import { integerLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { type Fields, type Step, spaces, stepsOf } from './parse-elements.ts';

interface TimePattern {
  /** A regular expression that matches exactly the texts that the format accepts. */
  readonly pattern: string;
  /** The names of its groups; the first is the whole match. */
  readonly names: readonly string[];
  /** @param groupNamed the text of a group */
  fields(groupNamed: (name: string) => Expression): Fields;
  /** The first element that is not supported. */
  readonly unsupported: string | undefined;
}

const token = /\s+|%(E(?:[0-9*]S|4Y|[zYyCcXx])|O[deHImMSUuVWwy]|[^EO])|[\s\S]/g;

/**
 * Parses a format of PARSE_TIMESTAMP and the like.
 *
 * @param invalid the elements that are invalid for the type of the function
 */
export function parseTimePattern(format: string, invalid: string): TimePattern {
  const tokens = [...format.matchAll(token)];
  // Beside a week, the day of the week would decide the date; beside a month and a day it is read only.
  const hasWeek = tokens.some(([, name]) => /^O?[UW]$/.test(name ?? ''));
  const unsupported = tokens.find(
    ([read, name]) =>
      stepsOf(read, name, invalid, undefined) === undefined || (hasWeek && /^O?[Aauw]$/.test(name ?? '')),
  )?.[0];
  const steps = tokens.flatMap(([read, name], at) => stepsOf(read, name, invalid, tokens[at + 1]?.[0]) ?? []);
  return { ...timePatternOf(steps), unsupported };
}

/** The pattern of texts that match all steps in their order. */
function timePatternOf(steps: readonly Step[]): Omit<TimePattern, 'unsupported'> {
  const body = steps.map(
    (step, at) => (step.prefix ?? '') + (step.pattern ?? `(${numberPattern(step, steps.slice(at + 1))})`),
  );
  const setters = steps.flatMap(({ set }) => set ?? []);
  const names = setters.map((_, at) => `part_${at + 1}`);
  return {
    pattern: `^\\s*(${body.join('')})\\s*$`,
    names: ['whole', ...names],
    fields(groupNamed) {
      const fields = startOfEpoch();
      for (const [at, set] of setters.entries()) set(fields, groupNamed(names[at] ?? ''));
      return fields;
    },
  };
}

const startOfEpoch = (): Fields => ({
  year: integerLiteral(1970),
  month: integerLiteral(1),
  day: integerLiteral(1),
  hour: integerLiteral(0),
  twelveHours: false,
  afternoon: integerLiteral(0),
  minute: integerLiteral(0),
  second: integerLiteral(0),
  microsecond: integerLiteral(0),
});

const numberPattern = ({ alone, digits = 1 }: Step, following: readonly Step[]): string =>
  (alone === undefined ? '' : `${alone}|`) + digitsPattern(digits, following);

/** Matches greedily up to the maximum: if more digits could follow, fewer must not match. */
function digitsPattern(max: number, following: readonly Step[]): string {
  const [next, afterSpaces] = following;
  const free = `\\d{1,${max}}`;
  if (!next) return free;
  if (startsWithDigit(next) && next.prefix === undefined) return `\\d{${max}}`;
  const spacesThenDigit =
    startsWithDigit(next) || (next === spaces && afterSpaces !== undefined && startsWithDigit(afterSpaces));
  return spacesThenDigit && max > 1 ? `\\d{${max}}|${free.replace(`${max}`, `${max - 1}`)}\\b` : free;
}

const startsWithDigit = ({ digits, pattern = '' }: Step) =>
  digits !== undefined || /^(?:\d|\(\\d|\(-\?\\d|\[[0-9])/.test(pattern);
