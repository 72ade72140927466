import { hostFunction } from './host-function.ts';

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

const normalizeTo = (text: string, form: string): string => text.normalize(formOf(form));

const formOf = (name: string) => forms.find((form) => form === name) ?? 'NFC';

/** Normalized, and then with Unicode's full case folding, which may decompose characters. */
function normalizeAndCasefold(text: string, form: string): string {
  const normalized = text.normalize(formOf(form));
  // ASCII, the most frequent text, needs no further steps.
  if (/^[\0-\x7f]*$/.test(normalized)) return normalized.toLowerCase();
  return [...normalized].map(foldCharacter).join('');
}

/** Characters whose folding is not the lower case of their upper case. */
const foldings = new Map([
  ['ı', 'ı'],
  ['ẞ', 'ss'],
]);

function foldCharacter(character: string): string {
  const special = foldings.get(character);
  if (special !== undefined) return special;
  // Cherokee folds to its capitals, which Unicode encoded first.
  if (/[\u13a0-\u13f5]/u.test(character)) return character;
  if (/[\u13f8-\u13fd\uab70-\uabbf]/u.test(character)) return character.toUpperCase();
  // One by one: the lower case of a final sigma depends on the character before it.
  return [...character.toUpperCase()].map((upper) => upper.toLowerCase()).join('');
}

/** The first letter of each word in upper case, the others in lower case; delimiters stay as they are. */
function titleCase(text: string, delimiters: string): string {
  const marks = new Set(delimiters);
  let isFirst = true;
  let titled = '';
  for (const character of text) {
    const isMark = marks.has(character);
    titled += isMark ? character : isFirst ? upperCharacter(character) : lowerCharacter(character);
    isFirst = isMark;
  }
  return titled;
}

const lowerCharacter = (character: string) => (character === 'İ' ? 'i' : character.toLowerCase());

/** One character for one: ß stays, and ᾳ becomes ᾼ, which is eight or nine places behind it. */
function upperCharacter(character: string): string {
  const upper = character.toUpperCase();
  if (upper.length === character.length) return upper;
  const others = [8, 9].map((places) => String.fromCodePoint((character.codePointAt(0) ?? 0) + places));
  return others.find((other) => other.toLowerCase() === character) ?? character;
}

const wordEnds = `[](){}/\\|<>!?@"^#$&~_,.:;*%+-\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000`;

/** Texts without letters of several cases contain each other as they are. */
const contains = (text: string, part: string): boolean =>
  normalizeAndCasefold(text, 'NFKC').includes(normalizeAndCasefold(part, 'NFKC'));

export const unicodeFunctions = [
  hostFunction('host_lower', ['VARCHAR'], 'VARCHAR', (text) => text.toLowerCase()),
  hostFunction('host_initcap_words', ['VARCHAR'], 'VARCHAR', (text) => titleCase(text, wordEnds)),
  hostFunction('host_initcap', ['VARCHAR', 'VARCHAR'], 'VARCHAR', titleCase),
  hostFunction('host_normalize', ['VARCHAR', 'VARCHAR'], 'VARCHAR', normalizeTo),
  hostFunction('host_casefold', ['VARCHAR', 'VARCHAR'], 'VARCHAR', normalizeAndCasefold),
  hostFunction('host_contains', ['VARCHAR', 'VARCHAR'], 'BOOLEAN', contains),
];
