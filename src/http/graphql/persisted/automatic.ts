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
  readonly group: string | undefined;
}

/**
 * Automatic persisted queries: a document that was sent once with its SHA-256 is named by it from then on. They are kept in
 * this process, the latest used first; a client whose document is not kept sends it again.
 */
export function buildAutomaticDocuments(maxBytes: number = httpLimits.maxPersistedBytes): PersistedDocuments {
  /** Of the documents of each key. */
  const bytesHeld = new Map<string | undefined, number>();
  const hold = (group: string | undefined, bytes: number) => {
    const held = (bytesHeld.get(group) ?? 0) + bytes;
    if (held === 0) bytesHeld.delete(group);
    else bytesHeld.set(group, held);
  };
  const stored = new LRUCache<string, Stored>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
    dispose: (one) => hold(one.group, -bytesOf(one)),
  });
  const store = (digest: string, text: string, owner: Owner) => {
    // Who stored it first keeps it: it is the same text.
    if (stored.get(digest) !== undefined) return;
    const one = { text, group: groupOf(owner) };
    const room = maxBytes * ownerShare - bytesOf(one);
    if (room < 0) return;
    while ((bytesHeld.get(one.group) ?? 0) > room) {
      const oldest = stored.rkeys().find((key) => stored.peek(key)?.group === one.group);
      if (oldest === undefined) break;
      stored.delete(oldest);
    }
    hold(one.group, bytesOf(one));
    stored.set(digest, one);
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
        const message = 'extensions.persistedQuery.sha256Hash: is not the SHA-256 of query';
        throw requestError('BAD_REQUEST', message);
      }
      store(digest, query, owner);
      return query;
    },
  };
}

/** An estimate: text takes up to two bytes for a character. */
const bytesOf = ({ text }: Pick<Stored, 'text'>): number => 2 * text.length + 300;
