import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasRedis } from '../support/redis-server.ts';
import { openRun } from './run.ts';
import { visits } from './steps.ts';
import { worlds } from './world.ts';

/**
 * Random hostile rows, and random requests of all kinds of callers for them; the oracle reads the rows by plain loops.
 *
 * By hand: `ISOLATION_TRIPLES=100000 npx vitest run test/isolation`, with `ISOLATION_SEED` for the same run again.
 */
const triples = Number(process.env.ISOLATION_TRIPLES || 400);
const seed = Number(
  process.env.ISOLATION_SEED || (process.env.ISOLATION_TRIPLES ? Date.now() % 1e9 : 20_261_122),
);

/** A world has some minutes: its rows must not get older than the windows of the shipped queries. */
const triplesOfWorld = 8_000;

test.skipIf(!hasRedis)(
  `${triples} questions with random keys, queries and parameters (seed ${seed}): nobody sees a row of another tenant`,
  async () => {
    const totals: Record<string, number> = {};
    for (let at = 0, done = 0; done < triples; at += 1) {
      const worldSeed = seed + at * 1_000;
      const [world] = fc.sample(worlds, { seed: worldSeed, numRuns: 1 });
      if (world === undefined) throw new Error('fast-check made no world');
      const run = await openRun(world);
      try {
        const limit = Math.min(triplesOfWorld, triples - done);
        for (let round = 0; run.counts.triples < limit; round += 1) {
          await fc.assert(
            fc.asyncProperty(visits, (visit) => run.check(visit)),
            { seed: worldSeed + round, numRuns: 20, interruptAfterTimeLimit: 240_000 },
          );
        }
        done += run.counts.triples;
      } finally {
        await run.close();
      }
      for (const [name, count] of Object.entries(run.counts)) totals[name] = (totals[name] ?? 0) + count;
    }
    process.stdout.write(`\nseed ${seed}: ${JSON.stringify(totals)}\n`);
    // It is not empty: rows, refusals and unchanged answers all occur.
    for (const name of [
      'answered',
      'rows',
      'refused',
      'notModified',
      'graphql',
      'agents',
      'parts',
      'shared',
      'redis',
      'hits',
    ] as const) {
      expect(totals[name], name).toBeGreaterThan(0);
    }
  },
  Math.max(120_000, triples * 60),
);
