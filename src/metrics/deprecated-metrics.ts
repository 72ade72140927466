import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import type { GetResult } from '../results/get-result.ts';
import { Counts } from './counts.ts';
import type { MetricFamily } from './metric-family.ts';

export interface DeprecatedMetrics {
  /** The same function, with the results of deprecated endpoints counted. */
  count(getResult: GetResult): GetResult;
  /** Drops the series of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void;
  readonly families: readonly MetricFamily[];
}

/** Keys and endpoints that are distinguished in the log. */
const maxUsers = 10_000;

const logEveryMs = 60 * 60_000;

interface Use {
  loggedAt: number;
  /** Since the last line. */
  results: number;
}

/** Who uses deprecated endpoints: the metrics count it, and the log names the keys. */
export function buildDeprecatedMetrics(log: Logger, now: () => Date): DeprecatedMetrics {
  const results = new Counts();
  const users = new LRUCache<string, Use>({ max: maxUsers });
  const record = ({ name, deprecated }: SavedQuery, key: string | undefined) => {
    results.of({ endpoint: name }).value += 1;
    const id = JSON.stringify([name, key]);
    const use = users.get(id) ?? { loggedAt: Number.NEGATIVE_INFINITY, results: 0 };
    use.results += 1;
    users.set(id, use);
    const at = now().getTime();
    if (at < use.loggedAt + logEveryMs) return;
    log.info(
      {
        endpoint: name,
        key,
        results: use.results,
        sunset: deprecated?.sunset,
        successor: deprecated?.successor,
      },
      'a deprecated endpoint is used',
    );
    use.loggedAt = at;
    use.results = 0;
  };
  return {
    count: (getResult) => (bound, request) => {
      if (bound.query.deprecated !== undefined) record(bound.query, request.owner);
      return getResult(bound, request);
    },
    keepEndpoints: (kept) => results.keepEndpoints(kept),
    families: [
      results.family(
        'querygate_deprecated_results_total',
        'Results of deprecated endpoints that callers requested.',
      ),
    ],
  };
}
