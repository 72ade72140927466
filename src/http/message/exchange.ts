import type { RequestHead } from './head.ts';
import type { Route } from './route.ts';

/** What the access log and the headers of every response, errors too, say about a caller. */
export interface CallerInfo {
  keyId: string | undefined;
  rateLimitHeaders: Readonly<Record<string, string>> | undefined;
}

/** A request while it is answered. */
export interface Exchange {
  readonly head: RequestHead;
  readonly caller: CallerInfo;
  /** As the access log shows it. */
  readonly path: string;
  readonly route: Pick<Route, 'allowsCors'>;
  /** As `performance.now()` gave it. */
  readonly startedAt: number;
}
