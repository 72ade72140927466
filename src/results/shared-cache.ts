import type { GatewayError } from '../errors.ts';
import type { ResultDocument } from './result-document.ts';

/**
 * Whose turn it is to compute the answer of a key. The fence is a fencing token: it rises with every turn of a key, and
 * an answer with a lower one never takes the place of an answer with a higher one.
 */
export interface Turn {
  readonly role: 'leader' | 'follower';
  /** Of the leader's turn, a follower's too. */
  readonly fence: string;
}

/** What the leader of a turn is seen to do; anything else than these means that it has ended, well or not. */
export type LeaderState =
  | { readonly doing: 'working'; readonly fence: string }
  | { readonly doing: 'failed'; readonly fence: string; readonly error: GatewayError };

/**
 * What gateways share. No method rejects, and none takes longer than its deadline: where the shared cache does not
 * answer, or holds something else, the result is `undefined` (nothing), and the caller goes on alone.
 */
export interface SharedCache {
  /** Resolves when it is known whether it answers, soon: questions that come earlier are each gateway's own. */
  readonly tried: Promise<void>;
  get(key: string): Promise<ResultDocument | undefined>;
  /** Asks for the turn of a key. @param steal takes it from whoever has it, whose answer is then refused */
  take(key: string, steal: boolean): Promise<Turn | undefined>;
  /** Keeps a turn. @returns whether other gateways wait for its answer */
  renew(key: string, fence: string): Promise<boolean>;
  /** Looks at the leader, and lets it know that its answer is waited for. */
  watch(key: string): Promise<LeaderState | undefined>;
  /** Ends a turn with an answer, which is kept for so long. */
  publish(key: string, fence: string, content: ResultDocument, keepMs: number): Promise<void>;
  /** Ends a turn without one: those who follow it now fail with the same error; without an error, they go on. */
  giveUp(key: string, fence: string, error: GatewayError | undefined): Promise<void>;
  /** Tells which keys were asked for, each with its moment in milliseconds since the epoch. */
  tellDemand(asked: ReadonlyMap<string, number>): Promise<void>;
  /** The keys that were asked for since a moment, the latest first. */
  demandSince(ms: number): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** A leader that is not heard of for so long has died; the next one takes over. */
export const leaseMs = 3_000;

/** @param onUp called each time that the shared cache has come or come back */
export type OpenSharedCache = (onUp: () => void) => SharedCache;
