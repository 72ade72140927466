import { didYouMean, listShort, quoteShort } from '@querygate/text';
import { fallbacks } from '../../catalog/binding/bind.ts';
import { sqlParameter, unusedBySql } from '../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';
import { memoize } from '../../memoize.ts';
import { invalid } from '../../row-arguments/reading/argument-reader.ts';
import { requireEndpoint } from '../../call/gate.ts';
import type { EndpointRequest } from '../../call/endpoint-request.ts';
import { type Reply, warningName, warningText } from '../message/reply.ts';
import {
  fromFirstLetter,
  nearestInAnyCase,
  partsBesideOperator,
  partsOf,
  shownName,
  withBrackets,
} from './meant-name.ts';
import { type Meaning, meaningOf } from '../../row-arguments/reading/other-words.ts';
import { adviceOnColumn, adviceOnMeaning, isAccepted, noFilter, noRowArguments } from './row-advice.ts';
import { pageWords } from './row-page.ts';
import { rowWords } from './row-parameters.ts';

const maxNameLength = 60;
const maxWarnings = 5;
/** So many names are compared with those that the query knows: it takes longer than to look them up. */
const maxCompared = 5;

/**
 * The warning in a reply about parameters that did nothing: values that are not listed, and names that the query does
 * not declare, if one is misspelled, or that of a column or of a row argument, here or in another service. Other names
 * get no warning, because proxies and caches add theirs. '' for none.
 */
export const parameterWarning = memoize((endpoint: EndpointRequest): { readonly text: string } => {
  const { query, parameters } = endpoint;
  const unused = unusedNames(endpoint);
  const used = query.parameters.filter(({ name }) => !unused.includes(name));
  const values = fallbacks({ ...query, parameters: used }, parameters).map(
    ({ name, text, used, values: listed }) =>
      `${name}: ${quoteShort(text)} is not one of ${listShort(listed)}: ${used} is used`,
  );
  const noEffect = unused.map((name) => `${name} is ignored, it ${withoutEffect}`);
  return { text: [...values, ...noEffect, ...ignoredNames(endpoint)].map(warningText).join('; ') };
});

const withoutEffect = 'has no effect on sql, whose tables do not use it';

/** The parameters that a request sends in vain beside SQL of its own. */
function unusedNames({ query, parameters }: EndpointRequest): readonly string[] {
  const [sql = ''] = parameters.get(sqlParameter) ?? [];
  if (sql === '' || query.querySandboxing === 'disabled') return [];
  return [...parameters.keys()].filter((name) => unusedBySql(query).has(name));
}

function ignoredNames(endpoint: EndpointRequest): readonly string[] {
  const warnings: string[] = [];
  for (const [at, name] of undeclared(endpoint).entries()) {
    if (warnings.length === maxWarnings) break;
    if (name.length > maxNameLength || partsOf(name).length === 0) continue;
    const meant = adviceOnMeant(endpoint, name);
    const certain = meant && `${shownName(name)} is ignored, ${meant}`;
    const advice = certain ?? adviceOnOther(endpoint, name, at < maxCompared);
    if (advice !== undefined) warnings.push(advice);
  }
  return warnings;
}

/** A sentence about a name that may mean a known one, or something that the query does not have; undefined if it does not. */
function adviceOnOther(endpoint: EndpointRequest, name: string, isCompared: boolean): string | undefined {
  const { query } = endpoint;
  const meaning = meaningIn(endpoint, name);
  if ((meaning === undefined || meaning === 'filter') && hasColumnIn(query, name))
    return `${shownName(beforeBrackets(name) || name)} is ignored, ${noFilter}`;
  const compared = meaning === undefined ? partsOf(name) : [beforeBrackets(fromFirstLetter(name))];
  const near = isCompared ? nearestOf(endpoint, compared) : undefined;
  if (near !== undefined && (meaning === undefined || isSameWord(near.part, near.name)))
    return `${near.part} is ignored, ${adviceOnKnown(endpoint, near.name, name)}`;
  const isOfRows = query.rowArguments === undefined && [name, ...partsOf(name)].some(isRowWord);
  if (isOfRows) return `${shownName(name)} is ignored, ${noRowArguments}`;
  return meaning && `${shownName(name)} is ignored, ${adviceOnMeaning(endpoint, name, meaning)}`;
}

/** True for a name that has that of a column in it, of a query whose rows cannot be filtered. */
function hasColumnIn({ columns, rowArguments }: SavedQuery, name: string): boolean {
  const parts = [...partsOf(name), ...partsBesideOperator(name)];
  return rowArguments === undefined && columns.some((column) => parts.includes(column.name));
}

function nearestOf(endpoint: EndpointRequest, parts: readonly string[]) {
  const left = namesLeft(endpoint);
  for (const part of parts) {
    const isOther = !namesOf(endpoint.query).has(part.toLowerCase());
    const near = nearestInAnyCase(part, left, part.length > 1 ? 1 : 0);
    const name = near ?? (isOther ? left.find(hasWords(part)) : undefined);
    if (name !== undefined) return { part, name };
  }
  return undefined;
}

/** `tier` and `iso_timestamp` are words of names that begin or end so; shorter ones are in too many. */
const hasWords = (words: string) => (name: string) =>
  words.length > 3 && `_${name}_`.includes(`_${words.toLowerCase()}_`);

/** `pageSize` and `page_size`, `filter` and `filters`: near by its letters, and not by chance as `page` and `age`. */
const isSameWord = (part: string, name: string): boolean => stemOf(part) === stemOf(name);

const stemOf = (text: string): string => text.replaceAll(/\W|_/g, '').toLowerCase().replace(/s$/, '');

/** An empty parameter counts as absent. */
const meaningIn = ({ parameters }: EndpointRequest, name: string): Meaning | undefined => {
  const [text = ''] = parameters.get(name) ?? [];
  return text === '' ? undefined : meaningOf(fromFirstLetter(name), text);
};

/** For a name that is a known one but for characters around it or an operator beside it; undefined for any other. */
function adviceOnMeant(endpoint: EndpointRequest, name: string): string | undefined {
  const known = namesOf(endpoint.query);
  const parts = partsOf(name);
  const meant = [...parts, ...partsBesideOperator(name)].find((part) => known.has(part));
  if (meant === undefined) return undefined;
  const meaning = meaningIn(endpoint, name);
  // In `sort[id]` the column is no condition.
  const isItself = meaning === undefined || meaning === 'filter' || meant === parts[0];
  return isItself ? adviceOnKnown(endpoint, meant, name) : undefined;
}

/** The right name, or the right condition with the value that a name has: advice that is followed must not be refused. */
function adviceOnKnown(endpoint: EndpointRequest, meant: string, name: string): string {
  const { query, parameters } = endpoint;
  if (isColumn(query, meant)) return adviceOnColumn(endpoint, meant, name);
  const [text = ''] = parameters.get(name) ?? [];
  const meaning = isRowWord(meant) && !isDeclared(query, meant) ? meaningOf(meant, text) : undefined;
  return meaning === undefined || text === '' || isAccepted(query, `${meant}=${text}`)
    ? `did you mean ${meant}?`
    : adviceOnMeaning(endpoint, name, meaning);
}

/** True for a column whose name means a condition on it. */
const isColumn = (query: SavedQuery, name: string): boolean =>
  query.rowArguments !== undefined &&
  query.columns.some((column) => column.name === name) &&
  !isDeclared(query, name);

const isDeclared = ({ parameters }: SavedQuery, name: string): boolean =>
  parameters.some((one) => one.name === name);

const isRowWord = (name: string): boolean => (rowWords as readonly string[]).includes(name);

/** The reply with that warning, before one that it has. */
export function withParameterWarning(reply: Reply, endpoint: EndpointRequest): Reply {
  const { text } = parameterWarning(endpoint);
  const warning = [text, reply.headers[warningName] ?? ''].filter((one) => one !== '').join('; ');
  return warning === '' ? reply : { ...reply, headers: { ...reply.headers, [warningName]: warning } };
}

/**
 * Refuses a known name with an operator, a point or brackets that do not write a list, and any other name that is not declared
 * if the query takes only what it declares. A key that may not call it learns no names of it.
 *
 * @throws GatewayError INVALID_PARAMETER, or as `requireEndpoint` does
 */
export function refuseUndeclared(principal: Principal, endpoint: EndpointRequest): void {
  const { name, wrong } = wrongName(endpoint);
  if (name === undefined) return;
  const { query, parameters } = endpoint;
  requireEndpoint(principal, query);
  const base = baseOf(query, name);
  const isRequired = query.parameters.some((one) => one.name === base && one.required);
  if (!isRequired || parameters.has(base)) throw invalid(name, wrong);
  const message = `${base}: is required; ${name.slice(0, maxNameLength)} ${wrong}`;
  throw new GatewayError('MISSING_PARAMETER', message, { parameter: base });
}

type WrongName = { readonly name: string | undefined; readonly wrong: string };
const noWrongName: WrongName = { name: undefined, wrong: '' };

const wrongName = memoize((endpoint: EndpointRequest): WrongName => {
  const { query } = endpoint;
  const all = undeclared(endpoint);
  const bracketed = all.find((name) => namesOf(query).has(baseOf(query, name)));
  if (bracketed !== undefined) return { name: bracketed, wrong: wrongBrackets(endpoint, bracketed) };
  if (query.isStrict !== true) return noWrongName;
  const [unused] = unusedNames(endpoint);
  if (unused !== undefined) return { name: unused, wrong: `${withoutEffect}; leave it out` };
  const [name] = all;
  if (name === undefined) return noWrongName;
  const meant = name.length > maxNameLength ? undefined : adviceInStrict(endpoint, name);
  const advice = meant === undefined ? didYouMean(name, usableNames(endpoint)) : `; ${meant}`;
  return { name, wrong: `is not a parameter of this endpoint${advice || '; leave it out'}` };
});

/** The problem of a known name that has brackets or a point behind it. */
function wrongBrackets(endpoint: EndpointRequest, name: string): string {
  const { query, parameters } = endpoint;
  const base = baseOf(query, name);
  if (isColumn(query, base)) return `is not a column; ${adviceOnColumn(endpoint, base, name)}`;
  if (query.parameters.some((one) => one.name === base && one.repeated))
    return `is not a value of a list; write a list as ${base}=…&${base}=…, or ${base}[]=…`;
  if (isDeclared(query, base) || query.rowArguments === undefined)
    return `is not a ${base === beforeBrackets(name) ? 'list' : 'parameter'}; write ${base}=…`;
  if (base === 'order')
    return `is not a list; ${adviceOnMeaning(endpoint, name, 'order')}, several joined by commas`;
  if (base === 'select') {
    const joined = `select=${(parameters.get(name) ?? []).join(',')}`;
    return isAccepted(query, joined)
      ? 'is not a list; write select=…, several joined by commas'
      : adviceOnMeaning(endpoint, name, 'columns');
  }
  const isTree = isRowWord(base) && meaningOf(base, '') === undefined;
  return isTree && query.rowArguments.filter.length === 0 ? noFilter : `is not a list; write ${base}=…`;
}

function adviceInStrict(endpoint: EndpointRequest, name: string): string | undefined {
  const meaning = endpoint.query.rowArguments && meaningIn(endpoint, name);
  return adviceOnMeant(endpoint, name) ?? (meaning && adviceOnMeaning(endpoint, name, meaning));
}

/** The names that a request does not have and that may be given. */
function usableNames(endpoint: EndpointRequest): readonly string[] {
  const { query } = endpoint;
  const filter = query.rowArguments?.filter ?? [];
  return namesLeft(endpoint).filter(
    (name) => !isColumn(query, name) || filter.some((column) => column.name === name),
  );
}

/** Some clients write members as `id.0` or `id.eq`, and encode brackets twice. */
const beforeBrackets = (name: string): string => withBrackets(name).replace(/[[\].].*$/s, '');

/** The same, or the parameter or column before an operator, as in `id_gt`, `id__gt` and `idGt`. */
function baseOf(query: SavedQuery, name: string): string {
  const parts = /^\w+$/.test(name) && name.length <= maxNameLength ? partsBesideOperator(name) : [];
  const isKnown = (part: string) => isDeclared(query, part) || isColumn(query, part);
  return parts.find((part) => name.startsWith(part) && isKnown(part)) ?? beforeBrackets(name);
}

const undeclared = memoize(({ query, parameters }: EndpointRequest): readonly string[] => {
  const names = namesOf(query);
  return [...parameters.keys()].filter((name) => !names.has(name));
});

const namesLeft = ({ query, parameters }: EndpointRequest): readonly string[] =>
  [...namesOf(query)].filter((name) => !parameters.has(name));

/** Every name that a request for the query may have. */
const namesOf = memoize(({ parameters, columns, rowArguments, pages }: SavedQuery): ReadonlySet<string> => {
  // The name of a column that takes no condition is refused where conditions are read.
  const names = rowArguments && columns.map(({ name }) => name);
  return new Set([
    ...parameters.map(({ name }) => name),
    'format',
    sqlParameter,
    ...(names === undefined ? [] : [...rowWords, ...names]),
    ...(pages === undefined ? [] : pageWords),
  ]);
});
