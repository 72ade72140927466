import { parseDate, parseDatetime, parseTimestamp } from '../../../files/timestamps.ts';
import type { Parameter } from '../../../catalog/model/saved-query.ts';
import { nearestName } from '@querygate/bigquery-sql/text';

/** Longer texts are not compared. */
const maxCompared = 100;

/** The one of some words that is nearest to a wrong one, however far that is; undefined without words. */
export function nearestOf(text: string, words: readonly string[]): string | undefined {
  const shown = text.slice(0, maxCompared).toLowerCase();
  const byLowerCase = new Map(words.map((word) => [word.toLowerCase(), word]));
  const candidates = [...byLowerCase.keys()];
  // `last hour` means `hourly` rather than a word with fewer edits.
  const related = candidates.filter((word) => isPart(word, shown) || isPart(shown, word));
  const nearest = nearestName(shown, related.length > 0 ? related : candidates, maxCompared);
  return nearest === undefined ? undefined : byLowerCase.get(nearest);
}

/** Whether one text has another one in it, by all but its ending. */
const isPart = (text: string, part: string): boolean =>
  part.length >= 3 && text.includes(part.replace(/(?:ly|s)$/, ''));

/** What a wrong value of a type probably means; undefined if that is not clear. */
export function probableValue({ type }: Parameter, text: string): string | undefined {
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

const parsers = { date: parseDate, datetime: parseDatetime, timestamp: parseTimestamp };

/** Dates in the ways in which people write them; a number is one of seconds or of milliseconds. */
function probableTime(type: keyof typeof parsers, text: string): string | undefined {
  const number = /^\d{9,13}$/.test(text) ? Number(text) * (text.length > 10 ? 1 : 1_000) : undefined;
  const plain = text.replaceAll('/', '-').trim();
  // Without a zone, it is in UTC.
  const date = new Date(number ?? (/[zZ]$|[+-]\d\d:?\d\d$|GMT|UTC/.test(plain) ? plain : `${plain} UTC`));
  if (Number.isNaN(date.getTime())) return undefined;
  const seconds = date.toISOString().slice(0, 19);
  const value = { date: seconds.slice(0, 10), datetime: seconds, timestamp: `${seconds}Z` }[type];
  return parsers[type](value) === undefined ? undefined : value;
}
