import { listShort } from '@querygate/text';
import type { EndpointRequest } from '../../call/endpoint-request.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { unlessRefused } from '../../errors.ts';
import { isCondition } from '../../row-arguments/reading/postgrest-conditions.ts';
import { condition, conditionOn, fromFirstLetter } from './meant-name.ts';
import { type Meaning, meaningOf } from '../../row-arguments/reading/other-words.ts';
import { readRowRequest } from './row-parameters.ts';

/** Longer values are not read: the advice has no value then. */
const maxReadLength = 200;

export const noRowArguments = 'this endpoint allows no row arguments';
export const noFilter = 'the rows of this endpoint cannot be filtered';
const noOrder = 'the rows of this endpoint cannot be ordered';
const limitAndOffset = 'write limit and offset, as in limit=20&offset=40';
const nextPages = 'pages are read by limit=…, and by the after=… of the header Link';

interface Given {
  readonly endpoint: EndpointRequest;
  readonly name: string;
  readonly text: string;
}

/** How the query takes what a parameter means that has the name of a column, or something around it. */
export function adviceOnColumn(endpoint: EndpointRequest, column: string, name: string): string {
  const { query, parameters } = endpoint;
  const filter = query.rowArguments?.filter ?? [];
  if (filter.length === 0) return noFilter;
  if (filter.some((one) => one.name === column))
    return `write ${conditionOn(query, column, name, parameters.get(name)?.[0] ?? '')}`;
  return `${column} cannot be filtered, these can be: ${listShort(filter.map((one) => one.name))}`;
}

/** How the query takes what a word of another service means, or why it does not. */
export function adviceOnMeaning(endpoint: EndpointRequest, name: string, meaning: Meaning): string {
  const { query, parameters } = endpoint;
  const [text = ''] = parameters.get(name) ?? [];
  const given = { endpoint, name, text: text.length > maxReadLength ? '' : text };
  const ofPage =
    query.pages !== undefined && pageMeanings.has(meaning) ? pageAdvice(given, meaning) : undefined;
  if (meaning === 'count') return advice.count(given);
  if (query.rowArguments === undefined)
    return ofPage ?? (meaning === 'filter' || meaning === 'negation' ? noFilter : noRowArguments);
  const words = ownWords.flatMap(([word, meanings]) => (meanings.includes(meaning) ? [word] : []));
  const own = words.find((word) => query.parameters.some(({ name }) => name === word));
  return own === undefined ? (ofPage ?? advice[meaning](given)) : `did you mean ${own}?`;
}

const pageMeanings: ReadonlySet<Meaning> = new Set(['limit', 'offset', 'page', 'after', 'before', 'last']);

function pageAdvice({ endpoint: { query }, text }: Given, meaning: Meaning): string {
  if (meaning !== 'limit') return nextPages;
  const isSize = /^\d{1,9}$/.test(text) && Number(text) <= query.maxRows;
  return `write limit=${isSize ? text : '…'}`;
}

/** The parameters that a query may declare as its own, and the meanings whose advice names them. */
const ownWords: readonly (readonly [word: string, meanings: readonly Meaning[]])[] = [
  ['limit', ['limit', 'page', 'after', 'before', 'last']],
  ['offset', ['offset', 'page', 'after', 'before']],
  ['order', ['order', 'direction', 'last']],
  ['select', ['columns', 'groups']],
];

const advice: Readonly<Record<Meaning, (given: Given) => string>> = {
  filter: filterAdvice,
  negation: negationAdvice,
  order: ({ endpoint }) => orderAdvice(endpoint),
  direction: ({ endpoint }) => orderAdvice(endpoint),
  limit: ({ text }) => `write limit=${/^\d{1,9}$/.test(text) ? text : '…'}`,
  offset: ({ text }) => `write offset=${/^\d{1,9}$/.test(text) ? text : '…'}`,
  page: () => limitAndOffset,
  after: () => `this endpoint has no pages, ${limitAndOffset}`,
  before: () => `this endpoint has no pages, ${limitAndOffset}`,
  last: ({ endpoint: { query } }) => {
    const [column] = query.rowArguments?.order ?? [];
    return column === undefined ? noOrder : `write order and limit, as in order=${column.name}.desc&limit=10`;
  },
  columns: () => 'each row has all columns, and select takes aggregates, as in select=count()',
  groups: () => 'select takes aggregates of all rows, as in select=count()',
  count: () => 'the header Querygate-Row-Count has the number of rows',
};

/** Of `id eq 5`, `id>5`, `id.gt.5`, `gt(id,5)` and `{"id":{"gt":5}}`, whose condition is one; of others an example. */
function filterAdvice({ endpoint: { query }, name, text }: Given): string {
  const filter = query.rowArguments?.filter ?? [];
  const [first] = filter;
  if (first === undefined) return noFilter;
  const written = `${fromFirstLetter(name)} ${text}`;
  const [, before = '', column = '', behind = ''] =
    new RegExp(String.raw`^(.*?)(?<![\w$])(${filter.map((one) => one.name).join('|')})(?!\w)(.*)$`, 's').exec(
      written,
    ) ?? [];
  if (column === '') return `write each condition by its column, as in ${first.name}=eq.…`;
  const [, word = '', value = ''] =
    /^["'\s:{$.,=[\]]*([<>!=~]+|[a-z_]+(?![\w-]))?["'\s:{.,=([]*(.*?)(?<!["'\s})\]])["'\s})\]]*$/is.exec(
      behind,
    ) ?? [];
  const [called = ''] = /(?<![a-z])[a-z]+(?=\W*$)/i.exec(before) ?? [];
  // In `name:abc` the word is the value.
  const [operator, operand] = value === '' ? [called, word] : [word || called, value];
  // One of several conditions would keep other rows.
  const isAlone = !operand.includes(',') || /in$/i.test(operator);
  return `write ${condition(query, column, operator, isAlone ? operand : '…')}`;
}

function negationAdvice(given: Given): string {
  const { endpoint, name, text } = given;
  const filter = endpoint.query.rowArguments?.filter ?? [];
  const [first] = filter;
  if (first === undefined) return noFilter;
  const column = filter.find((one) => fromFirstLetter(name).split(/\W+/).includes(one.name));
  if (column !== undefined)
    return `write ${condition(endpoint.query, column.name, 'not', isCondition(text) ? `not.${text}` : text)}`;
  const tree = `not.and=${text.startsWith('(') ? text : `(${text})`}`;
  const isRead = /^[\w.,:()*=-]+$/.test(tree) && isAccepted(endpoint.query, tree);
  return isRead ? `write ${tree}` : `write not.and=(${first.name}.eq.…)`;
}

/** The order that all words of a request for orders mean together: json-server has its direction apart. */
function orderAdvice({ query, parameters }: EndpointRequest): string {
  const [first] = query.rowArguments?.order ?? [];
  if (first === undefined) return noOrder;
  const names = new Set(query.rowArguments?.order.map(({ name }) => name));
  let direction = '';
  const keys: string[] = [];
  for (const [name, texts] of parameters) {
    const meaning = meaningOf(name, texts[0] ?? '');
    if (meaning !== 'order' && meaning !== 'direction') continue;
    const inName = name.split(/(?<=\w)\W/).slice(1);
    const read = readOrder([...inName, ...texts].join(',').slice(0, maxReadLength), names);
    if (read === undefined) return `write order=${first.name}.desc`;
    keys.push(...read.keys);
    direction ||= read.direction;
  }
  const order = keys.length === 0 ? [first.name] : [...new Set(keys)];
  const last = order.at(-1) ?? '';
  const direct = direction === '' || last.includes('.') ? last : `${last}.${direction}`;
  return `write order=${[...order.slice(0, -1), direct].join(',')}`;
}

/** @returns undefined if there is a word that is neither a column nor a direction */
function readOrder(
  text: string,
  columns: ReadonlySet<string>,
): { readonly keys: readonly string[]; readonly direction: string } | undefined {
  const keys: string[] = [];
  let direction = '';
  for (const [, sign, word = ''] of text.matchAll(/([+-]?)(\w+)/g)) {
    const way = /^(asc|desc)(?:ending)?$/i.exec(word)?.[1]?.toLowerCase();
    if (columns.has(word)) keys.push(sign === '-' ? `${word}.desc` : word);
    else if (way !== undefined && keys.length > 0) keys.push(`${keys.pop()?.replace(/\.desc$/, '')}.${way}`);
    else if (way !== undefined) direction = way;
    else if (!/^(?:\d+|field|column|key|by|order|direction|dir|sort)$/i.test(word)) return undefined;
  }
  return { keys, direction };
}

/** True if the query takes a parameter of rows with a value. */
export function isAccepted(query: SavedQuery, pair: string): boolean {
  const at = pair.indexOf('=');
  const parameters = new Map([[pair.slice(0, at), [pair.slice(at + 1)]]]);
  return unlessRefused(() => readRowRequest({ query, parameters })) !== undefined;
}
