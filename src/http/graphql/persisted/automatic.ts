import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { groupOf, type Owner } from '../../../concurrency/fair-share.ts';
import { httpLimits } from '../../message/http-limits.ts';
import { requestError } from '../errors.ts';
import { hasDocument, notFound, type PersistedDocuments, persistedHash } from './persisted-query.ts';

/** The share of one key in the stored documents: a key with endless ones must not push out those of others. */
const ownerShare = 1 / 4;

interface Stored {
  readonly text: string;
  readonly owner: Owner;
}

/** The documents that one key has stored. */
interface Holding {
  bytes: number;
  /** The oldest first. */
  readonly digests: Set<string>;
}

/**
 * Automatic persisted queries: a document that was sent once with its SHA-256 is named by it from then on. They are kept in
 * this process, the latest used first; a client whose document is not kept sends it again.
 *
 * @param maxBytes of all documents
 */
export function buildAutomaticDocuments(maxBytes: number = httpLimits.maxPersistedBytes): PersistedDocuments {
  const holdings = new Map<string | undefined, Holding>();
  const maxOwnerBytes = maxBytes * ownerShare;
  const stored = new LRUCache<string, Stored>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
    dispose(one, digest) {
      const own = holdings.get(groupOf(one.owner));
      if (own === undefined) return;
      own.digests.delete(digest);
      own.bytes -= bytesOf(one);
      if (own.digests.size === 0) holdings.delete(groupOf(one.owner));
    },
  });
  const store = (digest: string, text: string, owner: Owner) => {
    // Who stored it first keeps it: it is the same text.
    if (stored.get(digest) !== undefined) return;
    const one = { text, owner };
    const bytes = bytesOf(one);
    if (bytes > maxOwnerBytes) return;
    makeRoom(owner, bytes);
    const own = holdings.get(groupOf(owner)) ?? { bytes: 0, digests: new Set() };
    holdings.set(groupOf(owner), own);
    own.bytes += bytes;
    own.digests.add(digest);
    stored.set(digest, one);
  };
  /** Removes the owner's oldest documents until there is room in its share. */
  const makeRoom = (owner: Owner, bytes: number) => {
    const own = holdings.get(groupOf(owner));
    for (const digest of own?.digests ?? []) {
      if ((own?.bytes ?? 0) + bytes <= maxOwnerBytes) return;
      stored.delete(digest);
    }
  };
  return {
    documentOf(members, owner) {
      const digest = persistedHash(members);
      const { query } = members;
      if (digest === undefined) return query;
      if (!hasDocument(members)) {
        const text = stored.get(digest)?.text;
        if (text === undefined) throw notFound();
        return text;
      }
      if (typeof query !== 'string') return query;
      if (hash('sha256', query) !== digest) {
        throw requestError(
          'BAD_REQUEST',
          'extensions.persistedQuery.sha256Hash: is not the SHA-256 of query',
        );
      }
      store(digest, query, owner);
      return query;
    },
  };
}

/** An estimate: text takes up to two bytes for a character. */
const bytesOf = ({ text }: Stored): number => 2 * text.length + 300;
