import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConcurrencyLimiter } from '../../src/keys/concurrency-limiter.ts';
import { RateLimiter } from '../../src/keys/rate-limiter.ts';
import { settled } from '../support/fake-clock.ts';

describe('requests per minute', () => {
  const start = Date.parse('2026-03-10T12:00:00Z');

  test('all may come at once, and come back evenly', () => {
    const budget = new RateLimiter(6);
    const left = Array.from({ length: 6 }, () => budget.take(start).remaining);
    expect(left).toEqual([5, 4, 3, 2, 1, 0]);
    expect(budget.take(start)).toEqual({
      isWithin: false,
      remaining: 0,
      fullInSeconds: 60,
      nextInSeconds: 10,
    });
    expect(budget.take(start + 9_000)).toMatchObject({ isWithin: false, nextInSeconds: 1 });
    expect(budget.take(start + 10_000)).toMatchObject({ isWithin: true, remaining: 0 });
    expect(budget.take(start + 30_000)).toMatchObject({ isWithin: true, remaining: 1 });
    expect(budget.take(start + 600_000)).toMatchObject({ isWithin: true, remaining: 5, fullInSeconds: 10 });
  });

  test('are never more than the budget and what has come back, at any rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.nat(5_000), { maxLength: 500 }),
        (rate, waits) => {
          const budget = new RateLimiter(rate);
          let now = start;
          let passed = 0;
          for (const wait of waits) {
            now += wait;
            if (budget.take(now).isWithin) passed += 1;
            expect(passed).toBeLessThanOrEqual(rate + ((now - start) / 60_000) * rate + 1e-6);
          }
        },
      ),
    );
  });

  test('whoever waits as told passes', () => {
    const budget = new RateLimiter(7);
    for (let at = 0; at < 7; at += 1) budget.take(start);
    const { nextInSeconds } = budget.take(start);
    expect(budget.take(start + Math.ceil(nextInSeconds) * 1000).isWithin).toBe(true);
  });

  test('a clock that is set back locks nobody out for longer than a minute', () => {
    const budget = new RateLimiter(2);
    budget.take(start);
    budget.take(start);
    const back = start - 3_600_000;
    expect(budget.take(back)).toMatchObject({ isWithin: false, nextInSeconds: 30 });
    expect(budget.take(back + 30_000).isWithin).toBe(true);
  });
});

describe('concurrent queries', () => {
  const incoming = { signal: new AbortController().signal };
  const work = () => {
    const done = Promise.withResolvers<string>();
    return { ...done, run: () => done.promise };
  };

  test('a request that finds none free is refused; the questions of one request take turns', async () => {
    const slots = new ConcurrencyLimiter(2);
    const dashboard = slots.forRequest();
    const works = [work(), work(), work()] as const;
    const begun: number[] = [];
    const answers = works.map((one, at) =>
      dashboard(() => {
        begun.push(at);
        return one.run();
      }, incoming),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    await expect(slots.forRequest()(async () => 'x', incoming)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 1,
    });
    works[0].resolve('first');
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    works[1].reject(new Error('no'));
    works[2].resolve('third');
    await expect(Promise.allSettled(answers)).resolves.toMatchObject([
      { value: 'first' },
      { status: 'rejected' },
      { value: 'third' },
    ]);
    expect(await slots.forRequest()(async () => 'free again', incoming)).toBe('free again');
  });

  test('who waits and leaves takes no turn', async () => {
    const slots = new ConcurrencyLimiter(1);
    const inTurn = slots.forRequest();
    const first = work();
    const leaving = new AbortController();
    const one = inTurn(first.run, incoming);
    const two = inTurn(async () => 'never', { signal: leaving.signal });
    const three = inTurn(async () => 'third', incoming);
    leaving.abort();
    await expect(two).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(inTurn(async () => 'late', { signal: leaving.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    first.resolve('first');
    expect(await Promise.all([one, three])).toEqual(['first', 'third']);
    expect(await slots.forRequest()(async () => 'free', incoming)).toBe('free');
  });
});
