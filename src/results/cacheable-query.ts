import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import type { Refresh, Wave } from '../engine-contract/engine.ts';
import type { Principal } from '../keys/principal.ts';
import type { RequestTrace } from '../trace/span.ts';
import { freshnessOf } from './freshness.ts';
import type { ResultDocument } from './result-document.ts';

/** A bound query whose result may be cached. */
export interface CacheableQuery {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  /** The version of the data as it is known to be; undefined if it has none. */
  readonly dataVersion: string | undefined;
  /** The key for whose request it is run; undefined for a refresh. */
  readonly owner: Owner;
  /** As in `RunOptions`. */
  readonly payer?: Principal | undefined;
  /** The request that runs it; undefined for a refresh. */
  readonly trace?: RequestTrace | undefined;
  /** Only a result of a run that began at this time or later is accepted, by `elapsedMs`. */
  readonly minBegunAt: number;
  /** The refreshes that it is run with. */
  readonly wave?: Wave | undefined;
  /** As in `RunOptions`. */
  readonly refresh?: Refresh | undefined;
  /** True when no cached result is accepted, only that of a run that begins now. */
  readonly noCache: boolean;
}

/** The key of a run, and of its result in the cache that gateways share: data of another version is another result. */
export const runKeyOf = ({ key, dataVersion }: Pick<CacheableQuery, 'key' | 'dataVersion'>): string =>
  dataVersion === undefined ? key : `${key} ${dataVersion}`;

/** The result of one run of a `CacheableQuery`, and where it came from. */
export interface RunOutcome {
  readonly document: ResultDocument;
  readonly source: 'engine' | 'shared cache' | 'other gateway';
}

/**
 * True if a result from another gateway is new enough, so that this gateway need not run the query. The rows of a shared run may
 * be of an earlier version of the data than the refresh that takes them.
 */
export function isNewEnough(
  { policy, minBegunAt, dataVersion }: CacheableQuery,
  document: ResultDocument,
  elapsedMs: number,
): boolean {
  const isOfData = document.metadata.dataVersion === dataVersion;
  return isOfData && document.begunAt >= minBegunAt && freshnessOf(document, policy, elapsedMs) === 'fresh';
}
