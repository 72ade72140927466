import { nearestName, quoteShort } from '@querygate/text';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { unlessRefused } from '../../errors.ts';
import { ArgumentReader } from '../../row-arguments/reading/argument-reader.ts';
import {
  isCondition,
  meantOperator,
  parseCondition,
} from '../../row-arguments/reading/postgrest-conditions.ts';

/** More words in brackets are not looked at. */
const maxBrackets = 5;

/**
 * The parts of a name that is not declared, each of which may be the declared one that is meant, as in `amp;id`, `"id"`,
 * `id:gte`, `id>`, `id__gte`, `params[id]` and `filter[where][id]`. Declared names are ASCII.
 */
export function partsOf(name: string): readonly string[] {
  const start = fromFirstLetter(name);
  const plain = start.replace(/(?<!\W)\W+$/, '');
  const [base = ''] = plain.split(/[[\].:<>!=~|]|__/, 1);
  const inBrackets = /^\w+\[/.test(start) ? start.matchAll(/\[\W*(\w+)/g).take(maxBrackets) : [];
  return [...new Set([plain, base, ...[...inBrackets].map(([, word = '']) => word)])].filter(
    (part) => part !== '',
  );
}

/**
 * The parts of a name before or behind a word that is an operator elsewhere, as in `id_gt`, `id-gt`, `id$gt`, `idGt`, `gt(id)`
 * and `min_id`: they mean a declared name only if they are one, for other names have such words too.
 */
export function partsBesideOperator(name: string): readonly string[] {
  const start = fromFirstLetter(name);
  const places = [...start.matchAll(/[^a-zA-Z0-9]+|(?<=[a-z0-9])(?=[A-Z])/g)];
  return places.flatMap(({ 0: separator, index }) => {
    const [before, behind] = [start.slice(0, index), start.slice(index + separator.length)];
    return [
      ...(isOperatorWord(behind) ? [before] : []),
      ...(isOperatorWord(before) || before === 'filter' ? [behind.replace(/(?<!\W)\W+$/, '')] : []),
    ];
  });
}

const isOperatorWord = (text: string): boolean => operatorOf(text) !== undefined;

/** `not_in` and `Gte` are `notin` and `gte`. */
const operatorOf = (text: string): string | undefined =>
  meantOperator(/^[<>!=~]+$/.test(text) ? text : lettersOf(text));

const lettersOf = (text: string): string => text.replaceAll(/[^a-z]/gi, '').toLowerCase();

export const fromFirstLetter = (name: string): string =>
  withBrackets(name.slice(0, 500)).replace(/^(?:amp;|\?)*\W*/, '');

/** The name whose brackets may be encoded twice. */
export const withBrackets = (name: string): string => name.replace(/%(?:5B|5D)/gi, decodeURIComponent);

/** The name in a message: in quotes if characters of it would not be seen. */
export const shownName = (name: string): string => (/^[!-~]+$/.test(name) ? name : quoteShort(name));

/** A condition that is accepted for a name with an operator in it: `n[gte]`, `n__gte`, `gt(n)`, or the `n>` of `n>=59`. */
export function conditionOn(query: SavedQuery, column: string, name: string, text: string): string {
  const start = fromFirstLetter(name);
  const at = start.lastIndexOf(column);
  const [before, behind] = [start.slice(0, at), start.slice(at + column.length)];
  const [symbol] = /[<>!=~]+/.exec(behind) ?? [];
  if (symbol === undefined) {
    const word = wordsOf(behind).find(isOperatorWord) ?? wordsOf(before).findLast(isOperatorWord);
    return condition(query, column, word ?? 'eq', text);
  }
  const value = behind.slice(behind.indexOf(symbol) + symbol.length);
  return value === ''
    ? condition(query, column, symbol.endsWith('=') ? symbol : `${symbol}=`, text)
    : condition(query, column, symbol, value);
}

/** Also of `notIn` and `not_in`, which are one operator. */
const wordsOf = (text: string): readonly string[] => {
  const words = text.match(/[a-z]+/gi) ?? [];
  return words.length > 1 ? [words.join(''), ...words] : words;
};

/** The first condition of those that an operator in any spelling and a value may mean that the query accepts. */
export function condition(query: SavedQuery, column: string, word: string, text: string): string {
  const operator = operatorOf(word) ?? 'eq';
  const values = [
    ...(isCondition(text) ? [text] : []),
    ...(operator === 'is' ? [isNull(word, text)] : []),
    ...(operator === 'like' ? [`like.${likePattern(lettersOf(word), text)}`] : []),
    ...(operator.endsWith('in')
      ? [`${operator}.(${text.replaceAll(/^[\s([{]+|(?<![\s)\]}])[\s)\]}]+$/g, '')})`]
      : []),
    `${operator}.${text}`,
    `eq.${text}`,
  ];
  const accepted = values.find((value) => isShown(value) && isAccepted(query, column, value));
  return `${column}=${accepted?.replaceAll('+', '%2B') ?? conditionToFill(query, column, operator)}`;
}

function conditionToFill({ columns }: SavedQuery, column: string, operator: string): string {
  if (operator.endsWith('in')) return `${operator}.(…)`;
  const isText = columns.some(({ name, type }) => name === column && type === 'string');
  return operator === 'is' || (operator === 'like' && !isText) ? 'eq.…' : `${operator}.…`;
}

function isNull(word: string, text: string): string {
  const given = /^(?:false|0|no|not_null)$/i.test(text) ? 'not_null' : 'null';
  const isOpposite = /^(?:is)?notnull$|^exists$/i.test(lettersOf(word));
  if (lettersOf(word) === 'is') return `is.${text}`;
  return `is.${isOpposite === (given === 'null') ? 'not_null' : 'null'}`;
}

function likePattern(word: string, text: string): string {
  if (/contains$/.test(word)) return `*${text}*`;
  if (/startswith$/.test(word)) return `${text}*`;
  return /endswith$/.test(word) ? `*${text}` : text.replaceAll('%', '*');
}

const isShown = (text: string): boolean => /^[\w.,:()*+-]{1,80}$/.test(text);

const isAccepted = (query: SavedQuery, column: string, text: string): boolean =>
  unlessRefused(() => parseCondition(new ArgumentReader(query), column, text)) !== undefined;

/** The name that a text probably means, whatever the case of either. */
export function nearestInAnyCase(text: string, names: readonly string[], most: number): string | undefined {
  const inLowerCase = names.map((name) => name.toLowerCase());
  return names[inLowerCase.indexOf(nearestName(text.toLowerCase(), inLowerCase, most) ?? '')];
}
