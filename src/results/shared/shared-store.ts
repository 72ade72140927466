import type { Logger } from 'pino';
import type { Clock } from '../../concurrency/clock.ts';
import type { SharedRates } from '../../keys/rates/open-shared-rates.ts';
import type { SharedState } from '../../redis/shared-state.ts';
import type { OpenSharedCache } from './shared-cache.ts';

/** The store that gateways share: `redis` opens one. */
export interface SharedStore {
  /** Why it is less safe than the memory of one gateway, for the log. */
  readonly warnings: readonly string[];
  /** Results. */
  openCache(log: Logger): Promise<OpenSharedCache>;
  /** How many requests of a minute each caller has made. */
  openRates(log: Logger, elapsedMs: Clock['elapsedMs']): Promise<SharedRates>;
  /** State of a plug-in. @param name of the connection, for the log, as in `the Redis of shared accounts` */
  openState(name: string, log: Logger): Promise<SharedState>;
}
