import { parseTimestamp } from '../../files/timestamps.ts';
import type { PlainParameter } from '../saved-query.ts';
import { type Checked, checkPattern } from './check-pattern.ts';

/** Checks a parameter's text. A value with several spellings (timestamps, numbers) becomes canonical. */
export function checkPlain(type: PlainParameter['type'], text: string): Checked {
  return checks[type](text);
}

const checks: Record<PlainParameter['type'], (text: string) => Checked> = {
  string: (value) => ({ value }),
  pattern: checkPattern,
  timestamp: checkTimestamp,
  integer: checkInteger,
  float: (text) =>
    /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
      ? { value: String(Number(text)) }
      : { wrong: 'must be a number, as in 0.5' },
  boolean: (text) =>
    /^(true|false)$/i.test(text) ? { value: text.toLowerCase() } : { wrong: 'must be true or false' },
};

function checkTimestamp(text: string): Checked {
  const value = parseTimestamp(text);
  if (value !== undefined) return { value };
  const lostPlus = /^[\d-]+[T ][\d:.,]+ \d\d(:?\d\d)?$/i.test(text) ? '; encode + as %2B in a URL' : '';
  return { wrong: `must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z${lostPlus}` };
}

function checkInteger(text: string): Checked {
  const wrong = 'must be an integer between -9223372036854775808 and 9223372036854775807';
  if (!/^[+-]?\d{1,20}$/.test(text)) return { wrong };
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? { value: String(value) } : { wrong };
}
