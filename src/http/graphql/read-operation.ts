import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { GatewayError } from '../../errors.ts';
import type { RequestHead } from '../head.ts';
import { refusal } from './errors.ts';

const bodyTypes = ['application/json', 'application/graphql+json'];
const uncoded = ['', 'identity'];
const answerTypes = ['*/*', 'application/*', 'application/json', 'application/graphql-response+json'];

/**
 * Looks at a request's head before its body is read. A form of another site's page could send its three types without
 * asking; it could not send a key, so that refusing them is a second lock.
 *
 * @throws GatewayError UNSUPPORTED_MEDIA_TYPE | NOT_ACCEPTABLE
 */
export function checkMediaTypes({ method, header }: RequestHead): void {
  if (method === 'POST' && !isJson(header('content-type') ?? '')) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json');
  }
  // A small coded body may be a large one.
  if (
    method === 'POST' &&
    typesOf(header('content-encoding') ?? '').some((coding) => !uncoded.includes(coding))
  ) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without a Content-Encoding');
  }
  const accepted = typesOf(header('accept') ?? '*/*');
  if (accepted.some((type) => answerTypes.includes(type))) return;
  throw new GatewayError(
    'NOT_ACCEPTABLE',
    'Answers are application/json or application/graphql-response+json; accept one of them',
  );
}

function isJson(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?(?<charset>[^\s;"]+)/i.exec(contentType)?.groups?.charset ?? 'utf-8';
  return /^utf-?8$/i.test(charset) && typesOf(contentType).some((type) => bodyTypes.includes(type));
}

function typesOf(list: string): readonly string[] {
  return list.split(',').map((one) => (one.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/**
 * Reads an operation out of a GET's URL or a POST's body. The server's own readers tell some of what is malformed as
 * bugs of ours, and quote the rest.
 */
export const readOperation: Plugin = {
  onRequestParse({ request: { method }, setRequestParser }) {
    setRequestParser(method === 'GET' ? (request) => fromUrl(new URL(request.url)) : fromBody);
  },
};

function fromUrl({ searchParams }: URL): GraphQLParams {
  for (const name of ['query', 'operationName', 'variables', 'extensions']) {
    if (searchParams.getAll(name).length > 1) {
      throw refusal('BAD_REQUEST', `${name}: given more than once; give it once`);
    }
  }
  const [query, operationName] = [searchParams.get('query'), searchParams.get('operationName')];
  const [variables, extensions] = [objectOf(searchParams, 'variables'), objectOf(searchParams, 'extensions')];
  if (query === null) throw refusal('BAD_REQUEST', 'query: is missing; send ?query={…}, or POST');
  return {
    query,
    ...(operationName && { operationName }),
    ...(variables && { variables }),
    ...(extensions && { extensions }),
  };
}

type JsonObject = Record<string, unknown>;

function objectOf(searchParams: URLSearchParams, name: string): JsonObject | undefined {
  const text = searchParams.get(name);
  if (text === null || text === '') return undefined;
  const value = parseJson(text, `${name}: must be a JSON object`);
  if (value === null) return undefined;
  if (isObject(value)) return value;
  throw refusal('BAD_REQUEST', `${name}: must be a JSON object`);
}

async function fromBody(request: Request): Promise<GraphQLParams> {
  const right = 'send {"query": "…", "variables": {…}}';
  const body = parseJson(await textOf(request), `The body is no JSON; ${right}`);
  if (Array.isArray(body)) {
    throw refusal(
      'BAD_REQUEST',
      'Batches are not answered here; send each operation in a request of its own',
    );
  }
  if (!isObject(body)) throw refusal('BAD_REQUEST', `The body is no JSON object; ${right}`);
  if (body.query === undefined) throw refusal('BAD_REQUEST', `query: is missing; ${right}`);
  return body;
}

async function textOf(request: Request): Promise<string> {
  const bytes = await request.arrayBuffer().catch((error: unknown) => {
    // The server's own refusal of a large one.
    if (error instanceof GraphQLError) throw error;
    throw refusal('BAD_REQUEST', 'The body did not come whole');
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusal('BAD_REQUEST', 'The body is not well-formed UTF-8');
  }
}

function parseJson(text: string, otherwise: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('BAD_REQUEST', otherwise);
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
