import { expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { Slots } from '../../../src/concurrency/slots.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { type FakeEngine, fakeEngine } from '../../support/fake-engine.ts';
import { draftQuery } from '../../support/queries.ts';
import { openTestResults } from '../../support/test-results.ts';

const caching = ['caching: 30s', 'cache_warming: 5s', 'live: 1s'];
const parameters = { p: '{ type: string, description: P. }' };
const query = draftQuery({ columns: { x: 'string' }, parameters, caching, sql: 'select @p as x' });

/** What happens in a minute in which so many keys are followed, and so many only kept warm, over an engine that is a queue. */
async function refreshed(engineConcurrency: number, followed: number, warm: number) {
  const clock = fakeClock();
  const engine = fakeEngine({ clock, queryMs: 200 });
  const slots = new Slots(engineConcurrency);
  const queued: FakeEngine = {
    ...engine,
    run: (bound, run) => slots.run(run.signal, () => engine.run(bound, run), run.owner),
  };
  const results = openTestResults({ clock, engine: queued, engineConcurrency, caching });
  const requestAll = () =>
    Promise.all(Array.from({ length: warm }, (_, at) => results.request(`warm ${at}`)));
  const first = requestAll();
  await clock.pass(200 * warm + 1);
  await first;
  let ofFollowed = 0;
  const follower = { onResult: () => (ofFollowed += 1), onFailure() {} };
  const unfollows = Array.from({ length: followed }, (_, at) =>
    results.follow(bind(query, new Map([['p', [`followed ${at}`]]])), follower),
  );
  engine.runs = 0;
  const waits: number[] = [];
  for (let second = 0; second < 60; second += 1) {
    await clock.pass(1_000);
    // Those that had begun before.
    if (second === 0) engine.most = 0;
    if ((await Promise.race([requestAll(), settled()])) === undefined) waits.push(second);
  }
  for (const unfollow of unfollows) unfollow();
  await results.close();
  return { waits, ofFollowed, ofWarm: engine.runs - ofFollowed, most: engine.most };
}

test.each([
  // Places of the engine, keys that are followed, and keys that are kept warm; then the refreshes of each in a minute.
  [8, 60, 3, 1_100, 30],
  [8, 60, 60, 1_100, 250],
  [8, 1, 60, 59, 600],
  [3, 60, 3, 250, 30],
  [2, 60, 3, 250, 30],
  [1, 60, 3, 250, 8],
])(
  'an engine of %i refreshes %i results that are followed and %i that are kept warm, in half of it and one place',
  async (concurrency, followed, warm, leastOfFollowed, leastOfWarm) => {
    const { waits, ofFollowed, ofWarm, most } = await refreshed(concurrency, followed, warm);
    expect(waits).toEqual([]);
    expect(ofFollowed).toBeGreaterThanOrEqual(leastOfFollowed);
    expect(ofWarm).toBeGreaterThanOrEqual(leastOfWarm);
    expect(most).toBeLessThanOrEqual(Math.floor(concurrency / 2) + 1);
  },
);
