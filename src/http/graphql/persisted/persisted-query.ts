import { GraphQLError } from 'graphql';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { requestError } from '../errors.ts';

/** The members of a request, or of the query string of one by GET, before they are checked. */
export type RequestMembers = Readonly<Record<string, unknown>>;

/** The documents that requests may name instead of sending their text. */
export interface PersistedDocuments {
  /**
   * The document of a request: its own text, or the one that it names; undefined if it has neither.
   *
   * @returns a value that is not a string as it is
   * @throws GraphQLError PERSISTED_QUERY_NOT_FOUND | BAD_REQUEST | FORBIDDEN
   */
  documentOf(members: RequestMembers, owner: Owner): unknown;
}

/**
 * The hash in `extensions.persistedQuery`, normalized; undefined without one. @throws GraphQLError BAD_REQUEST
 * @see Apollo, "Automatic persisted queries", Protocol
 */
export function persistedHash({ extensions }: RequestMembers): string | undefined {
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  if (!isObject(persisted)) return undefined;
  const { version, sha256Hash } = persisted;
  if (version !== 1) throw requestError('BAD_REQUEST', 'extensions.persistedQuery.version: must be 1');
  if (typeof sha256Hash !== 'string' || sha256Hash === '' || sha256Hash.length > maxIdLength)
    throw requestError('BAD_REQUEST', 'extensions.persistedQuery.sha256Hash: must be the hash of a document');
  return normalizeId(sha256Hash);
}

/** Some tools write `sha256:` before a hash, some do not, and some use upper case. Other ids may differ in case only. */
export const normalizeId = (id: string): string =>
  id.replace(/^sha256:/i, '').replace(/^[\da-f]{64}$/i, (hash) => hash.toLowerCase());

/** Characters of what a request may name a document by. */
export const maxIdLength = 256;

/** An empty document counts as absent: some clients send one beside a hash. */
export const hasDocument = ({ query }: RequestMembers): boolean => query != null && query !== '';

/** Clients recognize this message, and send the document with its hash. */
export function notFound(): GraphQLError {
  // Clients that expect application/json take other statuses for failures of the network.
  const extensions = { code: 'PERSISTED_QUERY_NOT_FOUND', http: { status: 404, spec: true } };
  return new GraphQLError('PersistedQueryNotFound', { extensions });
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
