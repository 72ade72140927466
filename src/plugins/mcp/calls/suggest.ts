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
      const number = Number(text.replaceAll(/[\s,_']/g, '') || Number.NaN);
      return Number.isSafeInteger(Math.round(number)) ? String(Math.round(number)) : undefined;
    }
    case 'float': {
      const number = Number(text.replaceAll(/[\s_']/g, '').replace(',', '.') || Number.NaN);
      return Number.isFinite(number) ? String(number) : undefined;
    }
    case 'date':
    case 'datetime':
    case 'timestamp':
      return probableTime(type, text);
    default:
      return undefined;
  }
}

/** Dates in the ways in which people write them; a number is one of seconds or of milliseconds. */
function probableTime(type: 'date' | 'datetime' | 'timestamp', text: string): string | undefined {
  const number = /^\d{9,13}$/.test(text) ? Number(text) * (text.length > 10 ? 1 : 1_000) : undefined;
  const plain = text.replaceAll('/', '-').trim();
  // Without a zone, it is in UTC.
  const date = new Date(number ?? (/[zZ]$|[+-]\d\d:?\d\d$|GMT|UTC/.test(plain) ? plain : `${plain} UTC`));
  if (Number.isNaN(date.getTime())) return undefined;
  const seconds = date.toISOString().slice(0, 19);
  // Before the year 1 and after 9999 it begins in another way.
  if (!/^(?!0000)\d{4}-/.test(seconds)) return undefined;
  return { date: seconds.slice(0, 10), datetime: seconds, timestamp: `${seconds}Z` }[type];
}
