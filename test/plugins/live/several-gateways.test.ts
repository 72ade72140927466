import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { redis } from '../../../src/exports/redis.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { countsPath, type LiveGateway, openLiveGateway } from '../../support/live-gateway.ts';
import { eventually } from '../../support/eventually.ts';
import { type EventReader, readEvents } from '../../support/read-events.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';

const secret = 'a-secret-of-the-gateways-32-characters';
const intervalMs = 5_000;

describe.skipIf(!hasRedis)('three gateways on one Redis', () => {
  test('run a query once in each interval, and each sends its result, also after Redis was killed and came back', async () => {
    const server = await redisServer();
    await server.start();
    const clock = fakeClock();
    /** Each run has other rows, so that the events count the runs. */
    let runs = 0;
    const rowsOf = () => {
      runs += 1;
      return [`{"n":${runs}}`];
    };
    const gateways: LiveGateway[] = [];
    try {
      for (let at = 0; at < 3; at += 1) {
        const cache = { shared: redis({ url: server.url, secret }) };
        gateways.push(await openLiveGateway({ clock, rowsOf, cache }));
      }
      /** Waits until each gateway has said it of both of its connections, since this was called last. */
      const seen = gateways.map(() => 0);
      const logged = (text: string) =>
        eventually(() => {
          for (const [at, { logged }] of gateways.entries()) {
            const messages = logged.slice(seen[at]).filter(({ msg }) => String(msg).includes(text));
            expect(messages).toHaveLength(2);
          }
          for (const [at, { logged }] of gateways.entries()) seen[at] = logged.length;
        });
      const readers: EventReader[] = [];
      for (const { get } of gateways)
        readers.push(readEvents(await get(countsPath, { accept: 'text/event-stream' })));
      /** The first event of each gateway with this run, or a later one. */
      const sent = (run: number) =>
        Promise.all(
          readers.map(async (events) => {
            for (;;) {
              const { data = '' } = (await events.next()) ?? {};
              const [{ n }] = JSON.parse(data).result as [{ n: number }];
              if (n >= run) return n;
            }
          }),
        );
      /** The events of one interval: time passes in ticks of the refresher, which then talk to Redis. */
      const interval = async (run: number) => {
        const arriving = sent(run);
        let isOver = false;
        arriving.then(() => {
          isOver = true;
        });
        await clock.pass(intervalMs - 250);
        for (let passedMs = intervalMs - 250; !isOver && passedMs < 2 * intervalMs - 500; passedMs += 250) {
          await clock.pass(250);
          await sleep(150);
        }
        return arriving;
      };
      expect(await sent(1)).toEqual([1, 1, 1]);
      await logged('connected to ');
      for (let at = 2; at <= 4; at += 1) {
        expect(await interval(at)).toEqual([at, at, at]);
        expect(runs).toBe(at);
      }

      server.signal('SIGKILL');
      await logged('does not respond; continuing without it');
      const alone = await interval(runs + 1);
      expect(new Set(alone).size).toBe(3);

      await server.start();
      await logged('connected to ');
      // They have computed the latest results at different times, and share all from the next interval on.
      await interval(runs + 1);
      for (let at = runs + 1, last = at + 2; at <= last; at += 1) {
        expect(await interval(at)).toEqual([at, at, at]);
        expect(runs).toBe(at);
      }
      for (const events of readers) await events.cancel();
    } finally {
      for (const gateway of gateways) await gateway.close();
      await server.close();
    }
  });
});
