import type { Field } from '@querygate/bigquery-sql/table-schema';

/**
 * A pattern that is found in lines of JSON, as text of Latin-1, if one may have a key of a declared field in another case, or
 * a comma before a closing bracket. Looking for it takes a fifth of the time that looking at each byte takes.
 */
export function oddLines(fields: readonly Field[]): RegExp {
  const names = [...new Set(namesOf(fields))];
  const lowerCase = new Set(names.map((name) => name.toLowerCase()));
  // A name with two spellings may be right in one place and wrong in another.
  if (names.length > lowerCase.size || !names.every((name) => plainName.test(name))) return anyLines;
  const otherCase = `"(?!${anyOf(names, escaped)})${anyOf([...lowerCase], inAnyCase)}[ \\t]*:`;
  return new RegExp(`${names.length === 0 ? '' : `${otherCase}|`}${commaAtEnd}|${escapedLetter}`);
}

const anyLines = /(?:)/;
const commaAtEnd = String.raw`,[ \t]*[\]}]`;
/** In a key, it may be a letter in another case. */
const escapedLetter = String.raw`\\u00[4-7]`;

/** JSON has these characters as they are, and as one byte. */
const plainName = /^[ !#-[\]-~]+$/;

const namesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, fields: inner = [] }) => [name, ...namesOf(inner)]);

/** A pattern of texts, each with a quote at its end; no two alternatives begin with the same character. */
function anyOf(texts: readonly string[], letter: (character: string) => string): string {
  const byFirst = Map.groupBy(
    texts.filter((text) => text !== ''),
    ([first = '']) => first,
  );
  const alternatives = [...byFirst].map(
    ([first, own]) =>
      `${letter(first)}${anyOf(
        own.map((text) => text.slice(1)),
        letter,
      )}`,
  );
  if (texts.includes('')) alternatives.push('"');
  return alternatives.length === 1 ? alternatives.join('') : `(?:${alternatives.join('|')})`;
}

const escaped = (character: string) => character.replace(/\W/, String.raw`\$&`);

const inAnyCase = (character: string) =>
  /[a-z]/.test(character) ? `[${character}${character.toUpperCase()}]` : escaped(character);
