import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConcurrencyLimiter } from '../../src/keys/concurrency-limiter.ts';
import { RateLimiter } from '../../src/keys/rates/rate-limiter.ts';
import { settled } from '../support/fake-clock.ts';

describe('requests per minute', () => {
  const start = Date.parse('2026-03-10T12:00:00Z');

  test('may come all at once, and become available again evenly', () => {
    const limiter = new RateLimiter(6);
    const remaining = Array.from({ length: 6 }, () => limiter.take(start).remaining);
    expect(remaining).toEqual([5, 4, 3, 2, 1, 0]);
    expect(limiter.take(start)).toEqual({
      isWithin: false,
      remaining: 0,
      fullInSeconds: 60,
      nextInSeconds: 10,
    });
    expect(limiter.take(start + 9_000)).toMatchObject({ isWithin: false, nextInSeconds: 1 });
    expect(limiter.take(start + 10_000)).toMatchObject({ isWithin: true, remaining: 0 });
    expect(limiter.take(start + 30_000)).toMatchObject({ isWithin: true, remaining: 1 });
    expect(limiter.take(start + 600_000)).toMatchObject({ isWithin: true, remaining: 5, fullInSeconds: 10 });
  });

  test('never exceed the limit and what has become available again, at any rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.nat(5_000), { maxLength: 500 }),
        (rate, waits) => {
          const limiter = new RateLimiter(rate);
          let now = start;
          let passed = 0;
          for (const wait of waits) {
            now += wait;
            if (limiter.take(now).isWithin) passed += 1;
            expect(passed).toBeLessThanOrEqual(rate + ((now - start) / 60_000) * rate + 1e-6);
          }
        },
      ),
    );
  });

  test('a request after nextInSeconds is within the limit', () => {
    const limiter = new RateLimiter(7);
    for (let at = 0; at < 7; at += 1) limiter.take(start);
    const { nextInSeconds } = limiter.take(start);
    expect(limiter.take(start + Math.ceil(nextInSeconds) * 1000).isWithin).toBe(true);
  });

  test('a clock that is set back locks no key out for longer than a minute', () => {
    const limiter = new RateLimiter(2);
    limiter.take(start);
    limiter.take(start);
    const back = start - 3_600_000;
    expect(limiter.take(back)).toMatchObject({ isWithin: false, nextInSeconds: 30 });
    expect(limiter.take(back + 30_000).isWithin).toBe(true);
  });
});

describe('concurrent queries', () => {
  const caller = { signal: new AbortController().signal };
  const work = () => {
    const done = Promise.withResolvers<string>();
    return { ...done, run: () => done.promise };
  };

  test('a request is rejected when the limit is reached; further queries of one request wait', async () => {
    const limiter = new ConcurrencyLimiter(2);
    const dashboard = limiter.forRequest();
    const works = [work(), work(), work()] as const;
    const started: number[] = [];
    const results = works.map((one, at) =>
      dashboard(() => {
        started.push(at);
        return one.run();
      }, caller),
    );
    await settled();
    expect(started).toEqual([0, 1]);
    await expect(limiter.forRequest()(async () => 'x', caller)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 1,
    });
    works[0].resolve('first');
    await settled();
    expect(started).toEqual([0, 1, 2]);
    works[1].reject(new Error('no'));
    works[2].resolve('third');
    await expect(Promise.allSettled(results)).resolves.toMatchObject([
      { value: 'first' },
      { status: 'rejected' },
      { value: 'third' },
    ]);
    expect(await limiter.forRequest()(async () => 'free again', caller)).toBe('free again');
  });

  test('a caller that disconnects while waiting is passed over', async () => {
    const limiter = new ConcurrencyLimiter(1);
    const schedule = limiter.forRequest();
    const first = work();
    const leaving = new AbortController();
    const one = schedule(first.run, caller);
    const two = schedule(async () => 'never', { signal: leaving.signal });
    const three = schedule(async () => 'third', caller);
    leaving.abort();
    await expect(two).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(schedule(async () => 'late', { signal: leaving.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    first.resolve('first');
    expect(await Promise.all([one, three])).toEqual(['first', 'third']);
    expect(await limiter.forRequest()(async () => 'free', caller)).toBe('free');
  });
});
