import { RE2JS } from 're2js';
import type { Checked } from './check-value.ts';

/**
 * The longest pattern that is compiled, in characters, its counted repetitions written out. This is what compiling and
 * matching cost: one of 1,000 characters that repeats everything a thousand times took half a second and 200 MB to
 * compile, and DuckDB can stop a match only between blocks of 2,048 rows.
 */
export const maxPatternLength = 1_024;

/** A pattern as the SQL receives it, or what is wrong with it; whatever it is, this takes some milliseconds at most. */
export function checkPattern(text: string): Checked {
  if (text.length > maxPatternLength || writtenOut(text) > maxPatternLength) {
    return {
      wrong: `must be a regular expression of at most ${maxPatternLength} characters with its {counts} written out`,
    };
  }
  try {
    RE2JS.compile(text);
    return { value: text };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'not valid';
    return { wrong: `must be a regular expression in RE2 syntax (${reason.slice(0, 100)})` };
  }
}

/** What one step of reading takes: quoted text, an escape, a class, a count, or one character. */
const parts =
  /\\Q(?<quoted>.*?)(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.?|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\{(?<low>\d+)(?<open>,(?<high>\d*))?\}|./gsu;

/** An estimate: ill-formed patterns get one too, and are refused by the compiler. */
function writtenOut(text: string): number {
  const groups: { size: number; last: number }[] = [];
  let group = { size: 0, last: 0 };
  const add = (size: number) => {
    group.size += size;
    group.last = size;
  };
  for (const [part, quoted, low, open, high] of text.matchAll(parts)) {
    if (part === '(') {
      groups.push(group);
      group = { size: 0, last: 0 };
    } else if (part === ')') {
      const { size } = group;
      group = groups.pop() ?? { size: 0, last: 0 };
      add(size + 1);
    } else if (low !== undefined) {
      const times = Math.max(Number(high || low) + (open === ',' ? 1 : 0), 1);
      add(group.last * (times - 1));
      group.last *= times;
    } else {
      add(quoted === undefined ? 1 : quoted.length);
    }
  }
  return groups.reduce((sum, { size }) => sum + size, group.size);
}
