import { LRUCache } from 'lru-cache';
import { re2Problem, re2Token } from './re2.ts';

/** A parameter's text as the SQL receives it, or why the text is invalid. */
export type Checked =
  | { readonly value: string }
  | { readonly wrong: string; readonly hasLostPlus?: boolean | undefined };

/**
 * The longest pattern that is compiled, in characters, with its counted repetitions expanded. The expanded length is
 * what compiling and matching cost: a pattern of 1,000 characters with everything repeated a thousand times took half
 * a second and 200 MB to compile, and DuckDB can interrupt a match only between blocks of 2,048 rows.
 */
export const maxPatternLength = 1_024;

/**
 * The most that reading the classes of a pattern may cost, in characters that are folded one by one under `(?i)`: RE2JS
 * takes 23 µs for 1,000 of them, so that `(?i)[!-\uffff]` 330 times took half a second. A Unicode class takes up to
 * 125 µs.
 */
const maxClassCost = 32_768;
const unicodeClassCost = 2_048;

/** Compiling takes up to two milliseconds, and one GraphQL operation may have twenty patterns: each is checked once. */
const checkedPatterns = new LRUCache<string, Checked>({ max: 1_000 });

/** Checks a regular expression from a caller; takes some milliseconds at most, whatever the text. */
export function checkPattern(text: string): Checked {
  if (text.length > maxPatternLength) return tooLong;
  const known = checkedPatterns.get(text);
  if (known !== undefined) return known;
  const checked = checkUnknownPattern(text);
  checkedPatterns.set(text, checked);
  return checked;
}

function checkUnknownPattern(text: string): Checked {
  if (expandedLength(text) > maxPatternLength) return tooLong;
  if (classCost(text) > maxClassCost) return tooManyClasses;
  const wrong = re2Problem(text);
  return wrong === undefined ? { value: text } : { wrong };
}

const tooLong: Checked = {
  wrong: `must be a regular expression of at most ${maxPatternLength} characters with its {counts} expanded`,
};

const tooManyClasses: Checked = {
  wrong: `must be a regular expression with at most ${maxClassCost / unicodeClassCost} Unicode classes such as \\pL, and under (?i) with ranges of at most ${maxClassCost} characters in all`,
};

/** The cost that `maxClassCost` limits. Counts do not matter: a class is read once however often it is repeated. */
function classCost(text: string): number {
  const isFolded = /\(\?[msU-]*i/.test(text);
  let cost = 0;
  for (const [token] of text.matchAll(re2Token)) {
    if (/^\\p/i.test(token)) cost += unicodeClassCost;
    else if (token.startsWith('[')) cost += bracketCost(token, isFolded);
  }
  return cost;
}

/** An item of a bracket expression: a named class, a Unicode class, a character in one of its spellings. */
const bracketItem =
  /\[:\^?\w+:\]|(?<property>\\p(?:\{[^}]*\}|.))|\\x(?:\{(?<long>[\da-f]+)\}|(?<short>[\da-f]{2}))|\\.|(?<plain>.)/gisu;

function bracketCost(bracket: string, isFolded: boolean): number {
  const items = [...bracket.matchAll(bracketItem)];
  return items.reduce((cost, { groups }, at) => {
    if (groups?.property !== undefined) return cost + unicodeClassCost;
    if (!isFolded || groups?.plain !== '-') return cost;
    return cost + foldedCharacters(characterOf(items[at - 1]), characterOf(items[at + 1]));
  }, 0);
}

/** The code point of an item, as far as it matters here: undefined for other spellings, such as octal digits. */
function characterOf(item: RegExpExecArray | undefined): number | undefined {
  const { plain, long, short } = item?.groups ?? {};
  return plain?.codePointAt(0) ?? ((long ?? short) ? Number.parseInt(long ?? short ?? '', 16) : undefined);
}

/** How many characters of a range RE2 folds: those from A to the last one that has another case. */
function foldedCharacters(low = firstFolded, high = lastFolded): number {
  if (low < firstFolded && high > lastFolded) return 0;
  return Math.max(Math.min(high, lastFolded) - Math.max(low, firstFolded) + 1, 0);
}

const firstFolded = 0x41;
const lastFolded = 0x1e943;

/** Characters with counts expanded: an estimate. Malformed patterns get one too; the compiler rejects them later. */
export function expandedLength(text: string): number {
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
