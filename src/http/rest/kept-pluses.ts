import type { RawParameters } from '../../catalog/binding/bind.ts';
import { listNameOf } from '../../catalog/binding/merge-lists.ts';
import type { Column, SavedQuery } from '../../catalog/model/saved-query.ts';
import { memoize } from '../../memoize.ts';
import { operators } from '../../row-arguments/reading/postgrest-conditions.ts';
import { type PreparedRequest, parseQueryString } from '../message/prepared-request.ts';

/**
 * A date with an offset whose plus is not encoded. Decoded as a space, it would be an hour of the day, and so another moment.
 * Forms encode a space as a plus, but their colons too; axios leaves them, and its users read how to write the time.
 */
const dateWithOffset = /(\d{4}-\d\d-\d\d)\+(\d\d:\d\d)(?=$|[&,)"]|%2[29C])/gi;

/** The parameters of a request for a query, in which such a plus is one where a time is expected: no time has it. */
export function parametersOf(query: SavedQuery, { url, lists, parameters }: PreparedRequest): RawParameters {
  const decoded: RawParameters = parameters ?? new Map();
  const search = url.search.slice(1);
  const written = search.replaceAll(dateWithOffset, '$1%2B$2');
  if (written.length === search.length) return decoded;
  const kept = parseQueryString(written, lists);
  const one = (name: string, texts: readonly string[]) =>
    texts.map((text, at) => withPluses(query, name, text, kept.get(name)?.[at] ?? text));
  return new Map([...decoded].map(([name, texts]) => [name, one(name, texts)]));
}

/** @param kept the text with a plus in the place of some of its spaces */
function withPluses(query: SavedQuery, name: string, text: string, kept: string): string {
  if (kept === text) return text;
  const parameter = query.parameters.find((one) => one.name === listNameOf(name));
  if (parameter !== undefined) return times.has(parameter.type) ? kept : text;
  if (query.rowArguments === undefined) return text;
  const columns = timeColumns(query);
  let column = name;
  return kept.replaceAll(conditionOrDate, (match, named: string | undefined, at: number) => {
    if (named !== undefined) column = named;
    return named === undefined && !columns.has(column) ? text.slice(at, at + match.length) : match;
  });
}

const times: ReadonlySet<string> = new Set(['date', 'datetime', 'timestamp'] satisfies Column['type'][]);

const timeColumns = memoize(
  ({ columns }: SavedQuery): ReadonlySet<string> =>
    new Set(columns.filter(({ type }) => times.has(type)).map(({ name }) => name)),
);

/** In a tree the column of a value is the last one before it. */
const conditionOrDate = new RegExp(
  String.raw`\b(?!not\.)(\w+)\.(?:not\.)?(?:${Object.keys(operators).join('|')})\.|\d{4}-\d\d-\d\d\+\d\d:\d\d`,
  'g',
);
