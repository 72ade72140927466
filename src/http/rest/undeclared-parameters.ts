import { didYouMean, nearestName } from '@querygate/bigquery-sql/text';
import { sqlParameter } from '../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Principal } from '../../keys/principal.ts';
import { memoize } from '../../memoize.ts';
import { invalid } from '../../row-arguments/argument-reader.ts';
import { requireEndpoint } from '../access/authorize.ts';
import type { EndpointRequest } from '../message/prepared-request.ts';
import { type Reply, warningName } from '../message/reply.ts';
import { pageWords } from './row-page.ts';
import { rowWords } from './row-parameters.ts';

const maxNameLength = 60;
const maxWarnings = 5;

/**
 * What a reply says of parameters that the query does not declare, if one is a misspelled name: the others are ignored, as
 * those of proxies and caches are. '' for none.
 */
const parameterWarning = memoize(({ query, parameters }: EndpointRequest): { readonly text: string } => {
  const names = namesOf(query);
  const left = [...names].filter((name) => !parameters.has(name));
  const meant = undeclared(parameters, names)
    .filter((name) => name.length <= maxNameLength && /^[\w.-]+$/.test(name))
    .slice(0, maxWarnings)
    .flatMap((name) => {
      const nearest = nearestName(
        name.toLowerCase(),
        left.map((one) => one.toLowerCase()),
        1,
      );
      const found = left.find((one) => one.toLowerCase() === nearest);
      return found === undefined ? [] : [`${name} is ignored, did you mean ${found}?`];
    });
  return { text: meant.join('; ') };
});

/** The reply with that warning. */
export function withParameterWarning(
  reply: Reply | Promise<Reply>,
  endpoint: EndpointRequest,
): Reply | Promise<Reply> {
  const { text } = parameterWarning(endpoint);
  if (text === '') return reply;
  const warned = (one: Reply): Reply => ({ ...one, headers: { ...one.headers, [warningName]: text } });
  return reply instanceof Promise ? reply.then(warned) : warned(reply);
}

/**
 * For a query that takes only what it declares. A key that may not call it learns no names of it.
 *
 * @throws GatewayError INVALID_PARAMETER, or as `requireEndpoint` does
 */
export function refuseUndeclared(principal: Principal, { query, parameters }: EndpointRequest): void {
  const names = namesOf(query);
  const [name] = undeclared(parameters, names);
  if (name === undefined) return;
  requireEndpoint(principal, query);
  const left = [...names].filter((one) => !parameters.has(one));
  throw invalid(name, `is not a parameter of this endpoint${didYouMean(name, left) || '; leave it out'}`);
}

const undeclared = (
  parameters: EndpointRequest['parameters'],
  names: ReadonlySet<string>,
): readonly string[] => [...parameters.keys()].filter((name) => !names.has(name));

/** Every name that a request for the query may have. */
const namesOf = memoize(({ parameters, rowArguments, pages }: SavedQuery): ReadonlySet<string> => {
  const columns = rowArguments && [...rowArguments.filter, ...rowArguments.order].map(({ name }) => name);
  return new Set([
    ...parameters.map(({ name }) => name),
    'format',
    sqlParameter,
    ...(columns === undefined ? [] : [...rowWords, ...columns]),
    ...(pages === undefined ? [] : pageWords),
  ]);
});
