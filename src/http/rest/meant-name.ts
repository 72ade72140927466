import { quoteShort } from '@querygate/text';
import { isCondition, meantOperator } from '../../row-arguments/reading/postgrest-conditions.ts';

/**
 * The parts of a name that is not declared, each of which may be the declared one that is meant, as in `amp;id`, `"id"`,
 * `id:gte`, `id>`, `id__gte` and `params[id]`. Declared names are ASCII.
 */
export function partsOf(name: string): readonly string[] {
  const start = fromFirstLetter(name);
  const plain = start.replace(/\W+$/, '');
  const [base = ''] = plain.split(/[[\].:<>!=]|__/, 1);
  const [, inBrackets = ''] = /^\w+\[\W*(\w+)/.exec(start) ?? [];
  return [...new Set([plain, base, inBrackets])].filter((part) => part !== '');
}

const fromFirstLetter = (name: string): string => name.replace(/^(?:amp;|\?)+/, '').replace(/^\W+/, '');

/** The name in a message: in quotes if characters of it would not be seen. */
export const shownName = (name: string): string => (/^[!-~]+$/.test(name) ? name : quoteShort(name));

/**
 * How a condition on a column is written, for one whose operator is a part of the name.
 *
 * @param name `n[gte]`, `n__gte`, or the `n>` of `n>=59`
 * @param text the value of the parameter
 */
export function conditionOn(column: string, name: string, text: string): string {
  const start = fromFirstLetter(name);
  const behind = start.slice(start.indexOf(column) + column.length);
  const [symbol, word] = /[<>!]+|[a-z]+/i.exec(behind) ?? [];
  const written = symbol ?? word ?? 'eq';
  const value = behind.slice(behind.indexOf(written) + written.length);
  if (isCondition(text)) return `write ${column}=${shownValue(text)}`;
  if (!/^[<>!]/.test(written)) return `write ${column}=${condition(written.toLowerCase(), text)}`;
  return `write ${column}=${value === '' ? condition(`${written}=`, text) : condition(written, value)}`;
}

function condition(written: string, text: string): string {
  const operator = meantOperator(written) ?? 'eq';
  // These take another value here.
  if (written === 'contains' || written === 'isnull') return `${operator}.…`;
  return `${operator}.${shownValue(operator === 'in' && !text.startsWith('(') ? `(${text})` : text)}`;
}

const shownValue = (text: string): string => (/^[\w.,:()*+-]{1,40}$/.test(text) ? text : '…');
