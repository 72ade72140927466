import type { Owner } from '../../concurrency/fair-share.ts';
import type { ObtainedResult } from '../../results/get-result.ts';
import type { RequestHead } from './head.ts';
import type { Route } from './route.ts';

/** The facts about a caller for the access log and the headers of every response, errors too. */
export interface CallerInfo {
  /** The id of the caller's key, never the key itself; undefined without a valid one. */
  keyId: string | undefined;
  /** Whose share of everything that callers share the request uses; undefined until the key is known. */
  owner: Owner;
  rateLimitHeaders: Readonly<Record<string, string>> | undefined;
}

/** A request while it is answered. */
export interface Exchange {
  /** The request, without its body. */
  readonly head: RequestHead;
  /** Whose it is, once that is known. */
  readonly caller: CallerInfo;
  /** As the access log shows it: `unknown` for a path that no route has, and before it is known. */
  readonly path: string;
  /** How it is answered. */
  readonly route: Pick<Route, 'access' | 'allowsCors'>;
  /** As `performance.now()` gave it. */
  readonly startedAt: number;
  /** The results that the request has got until now: one in REST, and one for each field of GraphQL. */
  readonly results: readonly ObtainedResult[];
}
