import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { MetricFamily } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import {
  endpointPaths,
  graphqlPath,
  healthPath,
  livePath,
  plainHealthPath,
  readinessPath,
} from '../../http/message/paths.ts';
import type { Exchange } from '../../http/message/exchange.ts';
import type { Reply } from '../../http/message/reply.ts';
import { type Count, Counts } from '../../gateway/metrics/counts.ts';
import { type Histogram, Histograms } from './histogram.ts';
import { metricsPath } from './metrics-route.ts';

export interface RequestMetrics {
  /** Counts one answered request. */
  record({ head, path }: Pick<Exchange, 'head' | 'path'>, reply: Reply, seconds: number): void;
  /** Counts the bytes of a body whose length was not known before. */
  addBytes(path: string, bytes: number): void;
  /**
   * Counts by the endpoints of another version of the catalog from now on.
   *
   * @param extensions of the forms of rows
   * @param kept the endpoints whose series are not dropped
   */
  replaceCatalog(catalog: Catalog, extensions: readonly string[], kept: ReadonlySet<string>): void;
  readonly families: readonly MetricFamily[];
}

/** The counts of one path, with those that were raised before. */
interface PathCounts {
  readonly api: string;
  readonly endpoint: string;
  readonly bytes: Count;
  readonly durations: Histogram;
  /** By cache status, then by HTTP status. */
  readonly requests: Map<string, Map<number, Count>>;
  recent: CountedReply | undefined;
}

/** The counts of a reply. Cached replies are sent again as the same objects, so most are looked up once. */
interface CountedReply {
  readonly status: number;
  /** Of the reply; not the reply itself, which would keep its body in memory. */
  readonly headers: Reply['headers'];
  readonly requests: Count;
  readonly bytes: number;
}

/** Metrics of replies, by path. They are recorded for every request, so series are looked up by short keys. */
export function buildRequestMetrics(): RequestMetrics {
  const requests = new Counts();
  const bytes = new Counts();
  const durations = new Histograms('api');
  let endpointAt: ReturnType<typeof endpointPaths> = () => undefined;
  let previousAt = endpointAt;
  const known = new Map<string, PathCounts>();
  const openCounts = (path: string): PathCounts => {
    // Requests in flight may be for endpoints that are no longer there.
    const endpoint = (endpointAt(path) ?? previousAt(path))?.query.name ?? '';
    const api = endpoint === '' ? (apiOf.get(path) ?? 'other') : 'rest';
    return {
      api,
      endpoint,
      bytes: bytes.of({ api, endpoint }),
      durations: durations.of(api),
      requests: new Map(),
      recent: undefined,
    };
  };
  const lookUp = (
    { api, endpoint, requests: byCache }: PathCounts,
    { status, headers, body }: Reply,
  ): CountedReply => {
    const cache = cacheOf(headers['cache-status']);
    const ofCache = getOrAdd(byCache, cache, () => new Map());
    return {
      status,
      headers,
      requests: getOrAdd(ofCache, status, () => requests.of({ api, endpoint, status, cache })),
      bytes: body === undefined ? 0 : Number(headers['content-length'] ?? 0),
    };
  };
  const countsOf = (path: string) => known.get(path) ?? getOrAdd(known, path, () => openCounts(path));
  return {
    addBytes(path, added) {
      countsOf(path).bytes.value += added;
    },
    record({ head, path }, reply, seconds) {
      const counts = countsOf(path);
      const { recent } = counts;
      const isRecent = recent?.headers === reply.headers && recent.status === reply.status;
      const counted = isRecent ? recent : lookUp(counts, reply);
      counts.recent = counted;
      counted.requests.value += 1;
      if (head.method !== 'HEAD') counts.bytes.value += counted.bytes;
      counts.durations.observe(seconds);
    },
    replaceCatalog(next, extensions, kept) {
      previousAt = endpointAt;
      endpointAt = endpointPaths(next, extensions);
      known.clear();
      requests.keepEndpoints(kept);
      bytes.keepEndpoints(kept);
    },
    families: [
      requests.family(
        'querygate_http_requests_total',
        'Requests answered; one for each line "request" of the log. GraphQL requests have no endpoint.',
      ),
      durations.family(
        'querygate_http_request_duration_seconds',
        'How long requests took from their headers to the reply.',
      ),
      bytes.family('querygate_http_response_bytes_total', 'Bytes of the bodies of replies, as compressed.'),
    ],
  };
}

const apiOf: ReadonlyMap<string, string> = new Map([
  [graphqlPath, 'graphql'],
  [healthPath, 'health'],
  [livePath, 'health'],
  [plainHealthPath, 'health'],
  [readinessPath, 'health'],
  [metricsPath, 'metrics'],
]);

/** The word of a Cache-Status header that this gateway wrote: `querygate; hit; ttl=9`. */
function cacheOf(status: string | undefined): string {
  if (status === undefined) return 'none';
  if (status.startsWith('querygate; hit')) return status.includes('stale-if-error') ? 'stale' : 'hit';
  if (status.startsWith('querygate; fwd=miss')) return status.includes('collapsed') ? 'shared' : 'miss';
  return 'bypass';
}
