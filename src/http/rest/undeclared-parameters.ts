import { didYouMean, listShort, nearestName, quoteShort } from '@querygate/text';
import { fallbacks } from '../../catalog/binding/bind.ts';
import { sqlParameter, unusedBySql } from '../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';
import { memoize } from '../../memoize.ts';
import { invalid } from '../../row-arguments/reading/argument-reader.ts';
import { requireEndpoint } from '../../call/gate.ts';
import type { EndpointRequest } from '../../call/endpoint-request.ts';
import { type Reply, warningName } from '../message/reply.ts';
import { conditionOn, partsOf, shownName } from './meant-name.ts';
import { pageWords } from './row-page.ts';
import { rowWords } from './row-parameters.ts';

const maxNameLength = 60;
const maxWarnings = 5;

/**
 * The warning in a reply about parameters that did nothing: values that are not listed, and names that the query does
 * not declare, if one is misspelled, or that of a column or of a row argument. Other names get no warning, because
 * proxies and caches add theirs. '' for none.
 */
const parameterWarning = memoize((endpoint: EndpointRequest): { readonly text: string } => {
  const { query, parameters } = endpoint;
  const unused = unusedNames(endpoint);
  const used = query.parameters.filter(({ name }) => !unused.includes(name));
  const values = fallbacks({ ...query, parameters: used }, parameters).map(
    ({ name, text, used, values: listed }) =>
      `${name}: ${quoteShort(text)} is not one of ${listShort(listed)}: ${used} is used`,
  );
  const noEffect = unused.map((name) => `${name} is ignored, it ${withoutEffect}`);
  return { text: [...values, ...noEffect, ...ignoredNames(endpoint)].map(headerText).join('; ') };
});

const withoutEffect = 'has no effect on sql, whose tables do not use it';

/** The parameters that a request sends in vain beside SQL of its own. */
function unusedNames({ query, parameters }: EndpointRequest): readonly string[] {
  const [sql = ''] = parameters.get(sqlParameter) ?? [];
  if (sql === '' || query.querySandboxing === 'disabled') return [];
  return [...parameters.keys()].filter((name) => unusedBySql(query).has(name));
}

function ignoredNames(endpoint: EndpointRequest): readonly string[] {
  const others = undeclared(endpoint);
  if (others.length === 0) return [];
  const columns = new Set(endpoint.query.columns.map(({ name }) => name));
  return others
    .filter((name) => name.length <= maxNameLength && partsOf(name).length > 0)
    .slice(0, maxWarnings)
    .flatMap((name) => {
      const parts = partsOf(name);
      const advice = adviceOnMeant(endpoint, name);
      if (advice !== undefined) return [`${shownName(name)} is ignored, ${advice}`];
      if (parts.some((part) => columns.has(part))) {
        const shown = shownName(beforeBrackets(name) || name);
        return [`${shown} is ignored, the rows of this endpoint cannot be filtered`];
      }
      const left = namesLeft(endpoint);
      for (const part of parts) {
        const nearest = nearestName(
          part.toLowerCase(),
          left.map((one) => one.toLowerCase()),
          part.length > 1 ? 1 : 0,
        );
        const found = left.find((one) => one.toLowerCase() === nearest);
        if (found !== undefined) return [`${part} is ignored, did you mean ${found}?`];
      }
      return [name, ...parts].some(isRowWord)
        ? [`${shownName(name)} is ignored, this endpoint allows no row arguments`]
        : [];
    });
}

/** For a name that is a known one but for characters around it or an operator behind it; undefined for any other. */
function adviceOnMeant({ query, parameters }: EndpointRequest, name: string): string | undefined {
  const known = namesOf(query);
  const meant = partsOf(name).find((part) => known.has(part));
  if (meant === undefined) return undefined;
  return isFilter(query, meant)
    ? conditionOn(meant, name, parameters.get(name)?.[0] ?? '')
    : `did you mean ${meant}?`;
}

/** True for a column whose name means a condition on it. */
const isFilter = ({ parameters, columns, rowArguments }: SavedQuery, name: string): boolean =>
  rowArguments !== undefined &&
  columns.some((column) => column.name === name) &&
  !parameters.some((one) => one.name === name);

const isRowWord = (name: string): boolean => (rowWords as readonly string[]).includes(name);

/** Headers are ASCII, and a semicolon begins the next sentence. */
const headerText = (text: string): string =>
  text
    .replaceAll('…', '...')
    .replace(/[^ -:<-~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The reply with that warning. */
export function withParameterWarning(reply: Reply, endpoint: EndpointRequest): Reply {
  const { text } = parameterWarning(endpoint);
  return text === '' ? reply : { ...reply, headers: { ...reply.headers, [warningName]: text } };
}

/**
 * Refuses a known name with brackets, or a point, that do not write a list, and any other name that is not declared if the query takes
 * only what it declares. A key that may not call it learns no names of it.
 *
 * @throws GatewayError INVALID_PARAMETER, or as `requireEndpoint` does
 */
export function refuseUndeclared(principal: Principal, endpoint: EndpointRequest): void {
  const { name, wrong } = wrongName(endpoint);
  if (name === undefined) return;
  const { query, parameters } = endpoint;
  requireEndpoint(principal, query);
  const base = beforeBrackets(name);
  const isMissing =
    query.parameters.some((one) => one.name === base && one.required) && !parameters.has(base);
  if (!isMissing) throw invalid(name, wrong);
  throw new GatewayError(
    'MISSING_PARAMETER',
    `${base}: is required; ${name.slice(0, maxNameLength)} ${wrong}`,
    {
      parameter: base,
    },
  );
}

type WrongName =
  | { readonly name: string; readonly wrong: string }
  | { readonly name: undefined; readonly wrong: '' };

const wrongName = memoize((endpoint: EndpointRequest): WrongName => {
  const { query } = endpoint;
  const all = undeclared(endpoint);
  const bracketed = all.find((name) => namesOf(query).has(beforeBrackets(name)));
  if (bracketed !== undefined) {
    const base = beforeBrackets(bracketed);
    const isList = query.parameters.some((one) => one.name === base && one.repeated);
    if (isFilter(query, base)) {
      const right = conditionOn(base, bracketed, endpoint.parameters.get(bracketed)?.[0] ?? '');
      return { name: bracketed, wrong: `is not a column; ${right}` };
    }
    const wrong = isList
      ? `is not a value of a list; write a list as ${base}=…&${base}=…, or ${base}[]=…`
      : `is not a list; write ${base}=…`;
    return { name: bracketed, wrong };
  }
  if (query.isStrict !== true) return { name: undefined, wrong: '' };
  const [unused] = unusedNames(endpoint);
  if (unused !== undefined) return { name: unused, wrong: `${withoutEffect}; leave it out` };
  const [name] = all;
  if (name === undefined) return { name, wrong: '' };
  const meant = name.length > maxNameLength ? undefined : adviceOnMeant(endpoint, name);
  const advice = meant === undefined ? didYouMean(name, namesLeft(endpoint)) : `; ${meant}`;
  return { name, wrong: `is not a parameter of this endpoint${advice || '; leave it out'}` };
});

/** Some clients write members as `id.0` or `id.eq`. */
const beforeBrackets = (name: string): string => name.replace(/[[\].].*$/s, '');

/** The names of a request that its query does not have. */
const undeclared = memoize(({ query, parameters }: EndpointRequest): readonly string[] => {
  const names = namesOf(query);
  return [...parameters.keys()].filter((name) => !names.has(name));
});

/** The names of a query that a request does not have. */
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
