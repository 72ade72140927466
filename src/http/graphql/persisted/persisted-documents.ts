import type { Owner } from '../../../concurrency/fair-share.ts';

/** The members of a request, or of the query string of one by GET, before they are checked. */
export type RequestMembers = Readonly<Record<string, unknown>>;

/** The documents that requests may name instead of sending their text. */
export interface PersistedDocuments {
  /**
   * The document of a request: its own text, or that of the document which it names.
   *
   * @param owner whose request it is
   * @returns undefined if it has neither; a value that is not a string as it is
   * @throws GraphQLError PERSISTED_QUERY_NOT_FOUND | BAD_REQUEST | FORBIDDEN
   */
  documentOf(members: RequestMembers, owner: Owner): unknown;
}
