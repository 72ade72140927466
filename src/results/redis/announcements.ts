import type { Logger } from 'pino';
import { once } from '../../memoize.ts';
import { type CircuitBreaker, openCircuitBreaker } from '../../redis/circuit-breaker.ts';
import type { ResultDocument } from '../result-document.ts';
import type { CacheCrypto } from './cache-crypto.ts';

interface AnnouncementsOptions {
  readonly url: string;
  readonly crypto: CacheCrypto;
  readonly log: Logger;
}

/** Called with the time of computation of a result that a gateway has stored. */
export type OnAnnounced = (computedAt: number) => void;

/**
 * Announces each stored result to other gateways, with its time of computation and its digest. After a lost announcement the
 * result is found when the next refresh is due.
 */
export interface Announcements {
  readonly channel: string;
  messageOf(key: string, document: ResultDocument): string;
  /** @returns calls it off */
  listen(key: string, onAnnounced: OnAnnounced): () => void;
  /** To be called when the shared cache has another connection: what listens may be connected to a server of the past. */
  renew(): void;
  close(): Promise<void>;
}

const pattern = /^(?<name>\S{1,100}) (?<content>(?<computedAt>\d{1,16}) \S{1,100}) (?<signature>\S{1,100})$/;

export function buildAnnouncements({ url, crypto, log }: AnnouncementsOptions): Announcements {
  const { nameOf, sign, isSigned } = crypto;
  // Channels are those of all databases of a Redis.
  const channel = nameOf('announcement', `channel ${Number(new URL(url).pathname.slice(1))}`);
  const listeners = new Map<string, { readonly key: string; readonly onAnnounced: OnAnnounced }>();
  const onMessage = (message: string) => {
    const { name = '', content = '', computedAt, signature = '' } = pattern.exec(message)?.groups ?? {};
    const listener = listeners.get(name);
    if (listener === undefined || !isSigned('announcement', listener.key, content, signature)) return;
    listener.onAnnounced(Number(computedAt));
  };
  let opened: CircuitBreaker<unknown> | undefined;
  /** A connection of its own: one that listens can do nothing else. */
  const open = once(() => {
    opened = openCircuitBreaker({
      url,
      name: 'the announcements of the shared cache',
      log,
      listens: true,
      build: (client) =>
        client
          .subscribe(channel, onMessage)
          .catch((err: unknown) => log.warn({ err }, 'results of other gateways are not announced')),
    });
  });
  return {
    channel,
    messageOf(key, { computedAt, digest }) {
      const content = `${computedAt} ${digest}`;
      return `${nameOf('announcement', key)} ${content} ${sign('announcement', key, content)}`;
    },
    listen(key, onAnnounced) {
      open();
      const name = nameOf('announcement', key);
      const listener = { key, onAnnounced };
      listeners.set(name, listener);
      return () => {
        if (listeners.get(name) === listener) listeners.delete(name);
      };
    },
    renew: () => opened?.renew(),
    async close() {
      await opened?.close();
    },
  };
}
