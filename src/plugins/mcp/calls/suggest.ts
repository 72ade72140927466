import type { Column, Parameter } from '../../../catalog/model/saved-query.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { nearestName } from '@querygate/text';

/** For mistakes in the arguments about rows. */
export const rowHints: NonNullable<Parameters<RouteHost['obtain']>[1]> = {
  nearest: (text, names) => nearOf(text, names),
  value: (column, text) => probableValue(column, text),
};

/** Longer texts are not compared, and no more names: to see whether one is related takes some microseconds. */
const maxCompared = 100;
const maxNames = 2_000;

/** Characters of a text times the names whose edits are all counted: that takes a microsecond for each. */
const maxCounted = 10_000;

/** Tests if names are related to a wrong one, which says more than the number of edits between them. */
type RelatedTo = (text: string) => (name: string) => boolean;

/** The one of some names that is near to a wrong one; undefined if the text may mean none of them. */
export function nearOf(text: string, all: readonly string[]): string | undefined {
  const shown = text.slice(0, maxCompared);
  const names = all.slice(0, maxNames);
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  const related = [sameLetters, hasAllWords].map((relatedTo) => names.filter(relatedTo(shown)));
  const found = related.find(({ length }) => length > 0);
  const candidates = (found ?? names).map((name) => name.toLowerCase());
  const nearest =
    found === undefined
      ? nearestName(shown.toLowerCase(), candidates)
      : nearestName(
          shown.toLowerCase(),
          candidates.slice(0, maxCounted / Math.max(shown.length, 1)),
          maxCompared,
        );
  return nearest === undefined ? undefined : byLowerCase.get(nearest);
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** `projectTier` and `project_tier`. */
const sameLetters: RelatedTo = (text) => {
  const letters = lettersOf(text);
  return (name) => lettersOf(name) === letters;
};

/** Also of `projectTier`. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** `iso_start` and `iso_timestamp_start`, `1d` and `1day`. */
const hasAllWords: RelatedTo = (text) => {
  const words = [...new Set(wordsOf(text))];
  const letters = lettersOf(text);
  return (name) => {
    const own = wordsOf(name);
    return (
      words.length > 0 &&
      (words.every((word) => own.includes(word)) || (text.length > 1 && lettersOf(name).startsWith(letters)))
    );
  };
};

/** The probable meaning of a wrong value of a type; undefined if that is not clear. */
export function probableValue({ type }: Pick<Column, 'type'> | Parameter, text: string): string | undefined {
  switch (type) {
    case 'boolean':
      return /^(?:yes|y|1|on)$/i.test(text) ? 'true' : /^(?:no|n|0|off)$/i.test(text) ? 'false' : undefined;
    case 'integer': {
      // Three digits behind a point may be thousands.
      const number = /\.\d{3}$/.test(text) ? undefined : plainNumber(text);
      const whole = Math.round(number ?? Number.NaN);
      return Number.isSafeInteger(whole) ? String(whole) : undefined;
    }
    case 'float': {
      const isUnclear = /^[+-]?\d{1,3},\d{3}$/.test(text.trim());
      const number = isUnclear ? undefined : plainNumber(text.replace(/^([^,.]*),(?=\d+$)/, '$1.'));
      return number === undefined ? undefined : String(number);
    }
    case 'date':
    case 'datetime':
    case 'timestamp':
      return probableTime(type, text);
    default:
      return undefined;
  }
}

/** Of a decimal number, which may have separators between thousands. */
function plainNumber(text: string): number | undefined {
  const trimmed = text.trim();
  const isGrouped = /^[+-]?\d{1,3}([,_' ])\d{3}(?:\1\d{3})*(?:\.\d+)?$/.test(trimmed);
  const digits = isGrouped ? trimmed.replaceAll(/[,_' ]/g, '') : trimmed;
  const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Dates in the ways in which people write them; a number is one of seconds or of milliseconds. */
function probableTime(type: 'date' | 'datetime' | 'timestamp', text: string): string | undefined {
  const date = /^\d{9,13}$/.test(text)
    ? new Date(Number(text) * (text.length > 10 ? 1 : 1_000))
    : writtenTime(text.slice(0, maxCompared), type === 'date');
  if (date === undefined || Number.isNaN(date.getTime())) return undefined;
  const seconds = date.toISOString().slice(0, 19);
  // Before the year 1 and after 9999 it begins in another way.
  if (!/^(?!0000)\d{4}-/.test(seconds)) return undefined;
  return { date: seconds.slice(0, 10), datetime: seconds, timestamp: `${seconds}Z` }[type];
}

/**
 * Date reads almost any text as some time: the year must come first, or the month have a name, and the day must be the
 * written one.
 *
 * @param isDay true for the day as it is written, in any zone
 */
function writtenTime(text: string, isDay: boolean): Date | undefined {
  const plain = text
    .replaceAll('/', '-')
    .replace(/\(.*\)$/, '')
    .trim();
  const words = plain.match(/[a-z]+/gi) ?? [];
  const hasMonth = words.some((word) => monthName.test(word));
  if (!words.every((word) => monthName.test(word) || otherTimeWord.test(word))) return undefined;
  const [, month, day] =
    /^\d{4}-(\d{1,2})-(\d{1,2})(?!\d)/.exec(plain) ??
    (hasMonth && /\b\d{4}\b/.test(plain) ? /(?<![\d:+])()(\d{1,2})(?![\d:])/.exec(plain) : undefined) ??
    [];
  if (day === undefined) return undefined;
  const zone =
    /(?:\b(?:GMT|UTC)|(?<=\d)Z)?(?:(?<=GMT|UTC|:\d\d(?:\.\d+)? ?)[+-]\d\d:?\d\d)?$/i.exec(plain)?.[0] ?? '';
  const written = plain.slice(0, plain.length - zone.length).replace(/(?<=\d)T(?=\d)/i, ' ');
  // Without a zone, it is in UTC.
  const date = new Date(`${written} UTC`);
  const isWritten =
    date.getUTCDate() === Number(day) &&
    (!month || date.getUTCMonth() + 1 === Number(month)) &&
    plain.includes(String(date.getUTCFullYear()));
  if (!isWritten) return undefined;
  return zone === '' || isDay ? date : new Date(plain);
}

const monthName =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;

const otherTimeWord =
  /^(?:(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?|am|pm|gmt|utc|t|z)$/i;
