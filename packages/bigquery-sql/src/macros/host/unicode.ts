import { hostFunction } from './host-function.ts';

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

const normalizeTo = (text: string, form: string): string => text.normalize(formOf(form));

const formOf = (name: string) => forms.find((form) => form === name) ?? 'NFC';

/** Normalized and with Unicode's full case folding. */
function normalizeAndCasefold(text: string, form: string): string {
  const normalized = text.normalize(formOf(form));
  // ASCII, the most frequent text, needs no further steps.
  if (/^[\0-\x7f]*$/.test(normalized)) return normalized.toLowerCase();
  return [...normalized].map(foldCharacter).join('').normalize(formOf(form));
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

/** Texts without letters of several cases contain each other as they are. */
const contains = (text: string, part: string): boolean =>
  normalizeAndCasefold(text, 'NFKC').includes(normalizeAndCasefold(part, 'NFKC'));

export const unicodeFunctions = [
  hostFunction('host_lower', ['VARCHAR'], 'VARCHAR', (text) => text.toLowerCase()),
  hostFunction('host_normalize', ['VARCHAR', 'VARCHAR'], 'VARCHAR', normalizeTo),
  hostFunction('host_casefold', ['VARCHAR', 'VARCHAR'], 'VARCHAR', normalizeAndCasefold),
  hostFunction('host_contains', ['VARCHAR', 'VARCHAR'], 'BOOLEAN', contains),
];
