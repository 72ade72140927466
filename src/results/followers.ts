import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { ResultDocument } from './result-document.ts';

/** Learns of the results of one key, as they are stored in memory. */
export interface Follower {
  /** Called for each stored result, also if its rows are those of the one before. */
  onResult(document: ResultDocument): void;
  /** A refresh has failed, and is tried again. @param mayServe true for a result that callers may have nevertheless */
  onFailure(error: unknown, mayServe: (document: ResultDocument) => boolean): void;
}

/** The keys that are followed, each with its one follower. */
export type Followers = Map<string, Follower>;

/** Follows results in the cache. */
export interface Follow {
  /** Equal for two bound queries exactly if they have the same result. */
  keyOf(bound: BoundQuery): string;
  /**
   * Keeps a result refreshed as `followSeconds` says, until it is called off: a key has one follower at most. When a relative
   * value of the query has changed, it is not refreshed any more.
   *
   * @returns calls it off
   */
  follow(bound: BoundQuery, follower: Follower): () => void;
  /** The newest result of a key in memory, however old. */
  latest(key: string): ResultDocument | undefined;
}
