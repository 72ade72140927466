import { re2Problem, re2Token } from './re2.ts';

/** A parameter's text as the SQL receives it, or why the text is invalid. */
export type Checked = { readonly value: string } | { readonly wrong: string };

/**
 * The longest pattern that is compiled, in characters, with its counted repetitions expanded. The expanded length is
 * what compiling and matching cost: a pattern of 1,000 characters with everything repeated a thousand times took half
 * a second and 200 MB to compile, and DuckDB can interrupt a match only between blocks of 2,048 rows.
 */
export const maxPatternLength = 1_024;

/** Checks a regular expression from a caller; takes some milliseconds at most, whatever the text. */
export function checkPattern(text: string): Checked {
  if (text.length > maxPatternLength || expandedLength(text) > maxPatternLength) {
    return {
      wrong: `must be a regular expression of at most ${maxPatternLength} characters with its {counts} expanded`,
    };
  }
  const wrong = re2Problem(text);
  return wrong === undefined ? { value: text } : { wrong };
}

/** An estimate. Malformed patterns get one too; the compiler rejects them later. */
function expandedLength(text: string): number {
  const groups: { size: number; last: number }[] = [];
  let group = { size: 0, last: 0 };
  const add = (size: number) => {
    group.size += size;
    group.last = size;
  };
  for (const [token, quoted, low, open, high] of text.matchAll(re2Token)) {
    if (token === '(') {
      groups.push(group);
      group = { size: 0, last: 0 };
    } else if (token === ')') {
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
