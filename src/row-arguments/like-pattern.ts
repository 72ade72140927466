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
  return literals.length === parts.length
    ? (text) => matchesLiterals(literals, text)
    : (text) => matchesParts(parts, text);
}

/** undefined if it is not the same as a text in UTF-16, which has no halves of characters. */
function literalOf(part: LikePattern['parts'][number]): string | undefined {
  if (part.includes(undefined)) return undefined;
  const text = part.join('');
  return text.isWellFormed() ? text : undefined;
}

function matchesLiterals([first = '', ...others]: readonly string[], text: string): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const literal of others) {
    // The first place leaves the most for those after it.
    const found = text.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at <= end;
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
