/**
 * A pattern of LIKE: `%` is any text, `_` any character, and `\` takes the meaning from the character after it.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#like_operator
 */
export interface LikePattern {
  /** The texts between the `%`: each the characters in order, undefined for `_`. */
  readonly parts: readonly (readonly (string | undefined)[])[];
}

/** @returns undefined if a `\` is before nothing that has a meaning */
export function parseLike(text: string): LikePattern | undefined {
  const parts: (string | undefined)[][] = [[]];
  let isEscaped = false;
  for (const character of text) {
    const part = parts.at(-1) ?? [];
    if (isEscaped) {
      if (!'%_\\'.includes(character)) return undefined;
      part.push(character);
      isEscaped = false;
    } else if (character === '\\') isEscaped = true;
    else if (character === '%') parts.push([]);
    else part.push(character === '_' ? undefined : character);
  }
  return isEscaped ? undefined : { parts };
}

/** True if a whole text matches. */
export type LikeMatcher = (text: string) => boolean;

/** How many characters are compared for each one of a text at most. */
export const likeCost = ({ parts }: LikePattern): number =>
  parts.every((part) => literalOf(part) !== undefined) ? 1 : Math.max(...parts.map(({ length }) => length));

export function likeMatcher({ parts }: LikePattern): LikeMatcher {
  const literals = parts.flatMap((part) => literalOf(part) ?? []);
  return literals.length === parts.length ? literalsMatcher(literals) : (text) => matchesParts(parts, text);
}

/** undefined if it is not the same as a text in UTF-16, which has no halves of characters. */
function literalOf(part: LikePattern['parts'][number]): string | undefined {
  if (part.includes(undefined)) return undefined;
  const text = part.join('');
  return text.isWellFormed() ? text : undefined;
}

function literalsMatcher([first = '', ...others]: readonly string[]): LikeMatcher {
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  const between = others.map((literal) => ({ find: buildFind(literal), length: literal.length }));
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const { find, length } of between) {
      // The first place leaves the most for those after it.
      const found = find(text, at);
      if (found < 0) return false;
      at = found + length;
    }
    return at <= end;
  };
}

/** Where a text is in another one from a place on; -1 if it is not. */
type Find = (text: string, from: number) => number;

/** V8 compares a longer text again at each place: over runs of one character it takes the product of both lengths. */
const maxSearched = 16;

/** Longer texts are found by Knuth, Morris and Pratt, who read each character once. */
function buildFind(searched: string): Find {
  if (searched.length <= maxSearched) return (text, from) => text.indexOf(searched, from);
  const borders = bordersOf(searched);
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      while (matched > 0 && searched.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
      if (searched.charCodeAt(matched) === code) matched += 1;
      if (matched === searched.length) return at + 1 - matched;
    }
    return -1;
  };
}

/** For each length of a text's start: how long the longest shorter start is with which it ends. */
function bordersOf(text: string): Uint16Array {
  const borders = new Uint16Array(text.length);
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] as number;
    if (text[at] === text[border]) border += 1;
    borders[at] = border;
  }
  return borders;
}

/** It takes at most the product of both lengths. */
function matchesParts(parts: LikePattern['parts'], text: string): boolean {
  const characters = hasPairs.test(text) ? [...text] : text;
  const [first = [], ...others] = parts;
  const last = others.pop();
  if (last === undefined) return characters.length === first.length && fits(first, characters, 0);
  if (characters.length < first.length + last.length || !fits(first, characters, 0)) return false;
  let at = first.length;
  const end = characters.length - last.length;
  for (const part of others) {
    // The first place where a part fits leaves the most for those after it.
    while (at + part.length <= end && !fits(part, characters, at)) at += 1;
    if (at + part.length > end) return false;
    at += part.length;
  }
  return fits(last, characters, end);
}

const hasPairs = /[\ud800-\udfff]/;

function fits(
  part: readonly (string | undefined)[],
  text: string | readonly string[],
  from: number,
): boolean {
  for (let at = 0; at < part.length; at += 1) {
    const expected = part[at];
    if (expected !== undefined && expected !== text[from + at]) return false;
  }
  return true;
}
