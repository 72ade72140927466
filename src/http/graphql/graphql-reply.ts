import type { GraphQLError } from 'graphql';
import { statusOf } from '../../errors.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { cacheHeaders, variesBy, variesByFormat } from '../message/cache-headers.ts';
import type { Reply } from '../message/reply.ts';

/** A response to a GraphQL operation, whichever executor wrote its body. */
interface GraphqlResponse<Body extends Uint8Array> {
  readonly body: Body;
  /** Of the content, and what errors add, as when to try again. Names are in lower case. */
  readonly headers: Reply['headers'];
  /** 200 if it is left out. */
  readonly status?: number;
  /** Set if fields may be null because of errors. */
  readonly failure?: Failure | undefined;
}

/** What the body of a response with errors says. */
interface Failure {
  /** The response keys of all root fields. */
  readonly fields: readonly string[];
  readonly errors: readonly GraphQLError[];
}

/** @param caching as `cachingOf` gives it */
export function replyGraphql<Body extends Uint8Array>(
  { body, headers, status = 200, failure }: GraphqlResponse<Body>,
  caching: Reply['headers'],
): Reply & { readonly body: Body } {
  return {
    // Clients decide by the status whether to try again: 200 would mean that there is data.
    status: failure !== undefined && isRateLimited(failure) ? statusOf.RATE_LIMITED : status,
    headers: { ...headers, 'content-length': String(body.byteLength), ...caching },
    body,
  };
}

/** True if every field is null, and each because of the key's rate. */
function isRateLimited({ fields, errors }: Failure): boolean {
  const limited = new Set(
    errors.flatMap(({ extensions, path = [] }) =>
      extensions.code === 'RATE_LIMITED' ? path.slice(0, 1) : [],
    ),
  );
  return limited.size > 0 && fields.every((field) => limited.has(field));
}

const ofPost = { 'cache-control': 'private, no-store', vary: variesBy } as const;
const notStored = { 'cache-control': 'no-store' } as const;

/**
 * The headers that say how a response may be cached: for GET as REST has them, over all results of the operation.
 *
 * @param digest of the body; undefined if it has errors, and for POST
 */
export function cachingOf(
  method: string,
  results: readonly CachedResult[],
  digest: string | undefined,
): Reply['headers'] {
  if (method !== 'GET') return ofPost;
  if (digest === undefined || results.length === 0) return notStored;
  return { ...cacheHeaders(results, digest), vary: variesByFormat };
}
