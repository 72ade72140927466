import type { Catalog } from '../catalog/model/saved-query.ts';
import { type LiveCounters, zeroLiveCounters } from '../http/live/live-counters.ts';
import type { Live } from '../http/live/live.ts';
import type { LiveOptions } from '../http/live/open-live.ts';
import { once } from '../memoize.ts';

/** What clients follow. Nothing of it is loaded before the first of them comes. */
export interface LazyLive {
  readonly open: () => Promise<Live>;
  readonly counters: LiveCounters;
  replaceCatalog(catalog: Catalog): void;
  /** Ends all streams. */
  end(): void;
  close(): void;
}

export function buildLazyLive(options: Omit<LiveOptions, 'counters'>): LazyLive {
  const counters = zeroLiveCounters();
  let opened: Live | undefined;
  let isEnding = false;
  /** undefined before the first reload. */
  let latest: Catalog | undefined;
  return {
    counters,
    open: once(async () => {
      const { openLive } = await import('../http/live/open-live.ts');
      opened = openLive({ ...options, counters });
      if (latest !== undefined) opened.replaceCatalog(latest);
      if (isEnding) opened.end();
      return opened;
    }),
    replaceCatalog(catalog) {
      latest = catalog;
      opened?.replaceCatalog(catalog);
    },
    end() {
      isEnding = true;
      opened?.end();
    },
    close() {
      isEnding = true;
      opened?.close();
    },
  };
}
