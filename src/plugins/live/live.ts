import { FairShare } from '../../concurrency/fair-share.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { checkOptions } from '../../config/option-rules.ts';
import type { GatewayPlugin, PluginHost, RouteHost } from '../../gateway/plugin.ts';
import type { Answer, PluginRoute } from '../../http/message/route.ts';
import { once } from '../../memoize.ts';
import { isFollowable, waitSeconds } from './followable.ts';
import type { Live } from './followed.ts';
import { liveLimits } from './live-limits.ts';
import { type LiveCounters, liveFamilies, zeroLiveCounters } from './live-metrics.ts';

/** Results that clients follow. */
export interface LivePlugin extends GatewayPlugin {
  /** Counts of streams and events. */
  readonly counters: Readonly<LiveCounters>;
}

/** Several saved queries in one stream. */
const severalQueriesPath = '/api/live';

/**
 * Sends results whenever they change: by REST as events or to requests that wait, in subscriptions of GraphQL, and several in
 * one stream of `POST /api/live`.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function live(options: Readonly<Record<string, never>> = {}): LivePlugin {
  checkOptions('live', options, {});
  const counters = zeroLiveCounters();
  let results: LazyLive;
  return {
    name: 'live',
    counters,
    metrics: liveFamilies(counters),
    open(host) {
      results = new LazyLive(host, counters);
    },
    routes: (catalog, host) => [severalQueries(catalog, host, results)],
    following: {
      stream: async (request, events) => (await results.rest()).stream(request, events),
      wait(request) {
        const { bound } = request.call;
        const mayWait = request.isWhole && bound.sql === undefined && isFollowable(bound.query);
        const seconds = mayWait ? waitSeconds(request.head) : undefined;
        return seconds === undefined ? undefined : results.rest().then((rest) => rest.wait(request, seconds));
      },
      async subscribe(field) {
        const { replyToSubscription } = await import('./replies/subscription.ts');
        return replyToSubscription(await results.open(), results.host, field);
      },
    },
    onCatalog: (catalog) => results.replaceCatalog(catalog),
    endStreams: () => results.end(),
    close: async () => results.close(),
  };
}

function severalQueries(catalog: Catalog, host: RouteHost, results: LazyLive): PluginRoute {
  const build = once(async () => {
    const { buildSeveralQueries } = await import('./replies/several-queries.ts');
    return buildSeveralQueries(catalog, await results.open(), host);
  });
  const answer: Answer = async (...request) => (await build())(...request);
  return { path: severalQueriesPath, methods: ['POST'], access: 'key', allowsCors: true, answer };
}

/** The results that clients follow. Nothing of this is loaded before the first client comes. */
class LazyLive {
  readonly host: PluginHost;
  readonly #counters: LiveCounters;
  #state: 'serving' | 'ending' = 'serving';
  #opened: Live | undefined;
  /** undefined before the first reload. */
  #latest: Catalog | undefined;

  constructor(host: PluginHost, counters: LiveCounters) {
    this.host = host;
    this.#counters = counters;
  }

  readonly open = once(async () => {
    const { openLive } = await import('./open-live.ts');
    const opened = openLive({
      ...this.host,
      counters: this.#counters,
      places: new FairShare(liveLimits.maxStreams),
      memory: new FairShare(liveLimits.maxFollowedBytes),
    });
    this.#opened = opened;
    if (this.#latest !== undefined) opened.replaceCatalog(this.#latest);
    if (this.#state === 'ending') opened.end();
    return opened;
  });

  readonly rest = once(async () => {
    const { buildRestReplies } = await import('./replies/rest-replies.ts');
    return buildRestReplies(await this.open(), this.host);
  });

  replaceCatalog(catalog: Catalog): void {
    this.#latest = catalog;
    this.#opened?.replaceCatalog(catalog);
  }

  /** Ends all streams. */
  end(): void {
    this.#state = 'ending';
    this.#opened?.end();
  }

  close(): void {
    this.#state = 'ending';
    this.#opened?.close();
  }
}
