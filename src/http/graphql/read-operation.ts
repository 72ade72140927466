import type { GraphQLParams } from 'graphql-yoga';
import { maxListItems, maxMarkedColumns } from '../../catalog/binding/value-limits.ts';
import { GatewayError } from '../../errors.ts';
import { requireBodyType } from '../message/body/body-type.ts';
import type { RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import { namesStream } from '../accepted-stream.ts';
import { operationTooLarge, requestError } from './errors.ts';
import { acceptedMediaType } from './media-type.ts';
import { isObject, type RequestMembers } from './persisted/persisted-query.ts';

const requestTypes = ['application/json', 'application/graphql+json'];

/**
 * Checks a request's headers before its body is read. A form of another site could send its media types without a preflight,
 * but not a key: this is a second line of defence. @throws GatewayError UNSUPPORTED_MEDIA_TYPE | NOT_ACCEPTABLE
 */
export function checkMediaTypes({ method, headers }: RequestHead): void {
  if (method === 'POST') requireBodyType(headers, requestTypes);
  if (acceptedMediaType(headers.accept) !== undefined || namesStream(headers.accept)) return;
  throw new GatewayError(
    'NOT_ACCEPTABLE',
    'Responses are application/json, application/graphql-response+json or text/event-stream; accept one of them, and multipart/mixed only beside it',
  );
}

/** Gives the document of a request: its own, or the one that it names; undefined if it has neither. @throws GraphQLError */
export type FindDocument = (members: RequestMembers) => unknown;

/** The operation of a body, or of a URL. @throws GraphQLError BAD_REQUEST, OPERATION_TOO_LARGE, and as `findDocument` does */
export function parseOperation(
  url: URL,
  body: Uint8Array | undefined,
  findDocument: FindDocument,
): GraphQLParams {
  const given = body === undefined ? fromUrl(url) : fromBody(body);
  const { variables } = given;
  const members = isObject(variables) ? { ...given, variables: cutVariables(variables) } : given;
  const query = findDocument(members);
  if (query === undefined || query === null) {
    const right = body === undefined ? 'send ?query={…}, or POST' : rightBody;
    throw requestError('BAD_REQUEST', `query: is missing; ${right}`);
  }
  if (query === members.query && findDocument({ documentId: members.documentId }) !== query) return members;
  const { documentId: _, ...others } = members;
  return { ...others, query: query as string };
}

/** As many as any input object has: those of columns, and `and`, `or` and `not`. */
const maxMembers = maxMarkedColumns + 3;

const { maxBracketDepth, maxVariableValues } = httpLimits;

/** More than any valid list has: what refuses it sees that it is too long. */
const maxShownElements = maxListItems + 1;

/** The values that an object counts for beside its members. */
const objectWeight = 9;

/**
 * Variables without most elements of lists that have more than any argument takes, because graphql-js reads all. Values
 * nested deeper than in any valid condition are left out too, because later steps recurse for each level.
 *
 * @throws GraphQLError OPERATION_TOO_LARGE, before graphql-js sees more values than any arguments have, or prints such an object
 */
function cutVariables(variables: RequestMembers): RequestMembers {
  let left = maxVariableValues;
  const take = (values: number) => {
    left -= values;
    if (left < 0)
      throw operationTooLarge(
        `variables: has more than ${maxVariableValues} values, of which an object counts as ten; send fewer, in several requests`,
      );
  };
  const cut = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxBracketDepth) return null;
    if (Array.isArray(value)) {
      const elements = value.slice(0, maxShownElements);
      take(elements.length);
      return elements.map((one) => cut(one, depth + 1));
    }
    const members = Object.entries(value);
    if (members.length > maxMembers)
      throw operationTooLarge(`variables: an object has more than ${maxMembers} members; send fewer`);
    take(members.length + objectWeight);
    return Object.fromEntries(members.map(([name, member]) => [name, cut(member, depth + 1)]));
  };
  const members = Object.entries(variables);
  take(members.length);
  return Object.fromEntries(members.map(([name, value]) => [name, cut(value, 1)]));
}

const rightBody = 'send {"query": "…", "variables": {…}}';

function fromUrl({ searchParams }: URL): RequestMembers {
  const members: Record<string, unknown> = {};
  for (const name of ['query', 'documentId', 'operationName', 'variables', 'extensions']) {
    const [text, ...others] = searchParams.getAll(name);
    if (others.length > 0) throw requestError('BAD_REQUEST', `${name}: given more than once; give it once`);
    if (text === undefined || (text === '' && name !== 'query')) continue;
    const value = name === 'variables' || name === 'extensions' ? parseObject(text, name) : text;
    if (value !== null) members[name] = value;
  }
  return members;
}

function parseObject(text: string, name: string): RequestMembers | null {
  const problem = `${name}: must be a JSON object`;
  const value = read<unknown>(() => JSON.parse(text), problem);
  if (value === null || isObject(value)) return value;
  throw requestError('BAD_REQUEST', problem);
}

function fromBody(bytes: Uint8Array): RequestMembers {
  const text = read(() => utf8.decode(bytes), 'The body is not well-formed UTF-8');
  const body = read<unknown>(() => JSON.parse(text), `The body is not valid JSON; ${rightBody}`);
  if (Array.isArray(body))
    throw requestError('BAD_REQUEST', 'Batches are not supported; send each operation in its own request');
  if (!isObject(body)) throw requestError('BAD_REQUEST', `The body is not a JSON object; ${rightBody}`);
  return body;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws GraphQLError BAD_REQUEST with the message, if it cannot be read */
function read<T>(parse: () => T, message: string): T {
  try {
    return parse();
  } catch {
    throw requestError('BAD_REQUEST', message);
  }
}
