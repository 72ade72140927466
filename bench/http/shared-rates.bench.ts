import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';
import { redisServer } from '../../test/support/redis-server.ts';
import type { Bench } from '../run.ts';
import { compareInTurns, type Side } from './compare.ts';
import { requestBytes } from './load.ts';
import { makeFolder, startOver } from './sides.ts';

/** A few keys that are used a lot, and many that are used a few times a second. */
const keyCounts = [20, 500];
const goal = 0.9;

const bench: Bench = {
  title:
    'REST hits of 24×8 through keys whose rates are counted in Redis, against the same counted by one gateway',
  async *run() {
    for (const count of keyCounts) {
      const folder = makeFolder();
      const keys = Array.from({ length: count }, () => makeKey());
      const file = join(folder.path, 'keys.json');
      const entries = keys.map(({ id, text }) => ({
        id,
        name: `Key ${id}`,
        sha256: digestOf(text).toString('hex'),
        rate: { requests_per_minute: 1_000_000 },
      }));
      writeFileSync(file, JSON.stringify({ keys: entries }));
      const requests = keys.map(({ text }) =>
        requestBytes(['GET /api/endpoints/query/rows-24 HTTP/1.1', 'Host: bench', `X-API-KEY: ${text}`]),
      );
      const redis = await redisServer();
      await redis.start();
      const shared = await startOver(folder, { API_KEYS_FILE: file, CACHE_URL: redis.url });
      const alone = await startOver(folder, { API_KEYS_FILE: file });
      const side = (name: string, { origin }: { origin: string }): Side => {
        let at = 0;
        const nextRequest = () => {
          at += 1;
          return requests[at % count] ?? Buffer.alloc(0);
        };
        return { name, port: Number(new URL(origin).port), nextRequest };
      };
      try {
        yield await compareInTurns(
          {
            title: `${count} keys`,
            side: side('counted in Redis', shared),
            against: side('one gateway alone', alone),
            goal,
          },
          { rounds: 15, roundMs: 250 },
        );
      } finally {
        await Promise.all([shared.end(), alone.end()]);
        await redis.close();
        folder.remove();
      }
    }
  },
};

export default bench;
