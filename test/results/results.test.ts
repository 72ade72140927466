import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { settled } from '../support/fake-clock.ts';
import { testAnswers, told } from '../support/test-results.ts';

const cold = ['caching: 900s'];

/** Asks, and lets the engine take its time. */
async function asked(
  answers: ReturnType<typeof testAnswers>,
  ...question: Parameters<typeof answers.question>
) {
  const answer = answers.question(...question);
  answer.catch(() => {});
  await answers.clock.pass(100);
  return answer;
}

describe('an answer', () => {
  test('is kept while it is fresh, for equal parameters only', async () => {
    const answers = testAnswers({ caching: cold });
    expect(told(await asked(answers))).toEqual(['MISS', 1]);
    expect(told(await asked(answers))).toEqual(['HIT', 1]);
    expect(told(await asked(answers, 'other'))).toEqual(['MISS', 2]);
    await answers.clock.pass(899_500);
    expect(told(await asked(answers))).toEqual(['HIT', 1]);
    await answers.clock.pass(200);
    expect(told(await asked(answers))).toEqual(['MISS', 3]);
    await answers.close();
  });

  test('is told with what it cost, which is counted once', async () => {
    const cost = { bytesProcessed: 1, bytesBilled: 2, slotMs: 3, cacheHit: false, jobId: 'job' };
    const answers = testAnswers({ cost });
    expect((await asked(answers)).document.metadata).toEqual({ rowCount: 1, truncated: false, cost });
    expect((await asked(answers)).document.metadata.cost).toEqual(cost);
    expect(answers.costs).toEqual([cost]);
    await answers.close();
  });

  test('is told stale where it has expired and the engine fails, until the grace ends', async () => {
    const answers = testAnswers({ caching: ['caching: 900s', 'stale_if_error: 60s'] });
    await asked(answers);
    await answers.clock.pass(901_000);
    answers.engine.failing = true;
    expect(told(await asked(answers))).toEqual(['STALE', 1]);
    expect(answers.counters).toMatchObject({ stale: 1, hits: 0 });

    await answers.clock.pass(60_000);
    await expect(asked(answers)).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    answers.engine.failing = false;
    expect(told(await asked(answers))[0]).toBe('MISS');
    await answers.close();
  });

  test('once the engine has failed, nobody waits to see it fail again, and it comes back by itself', async () => {
    const answers = testAnswers({ caching: cold });
    await asked(answers);
    await answers.clock.pass(901_000);
    answers.engine.failing = true;
    await asked(answers);
    // No time passes here: whoever waits for the engine gets nothing.
    const waiting = await Promise.race([answers.question(), settled()]);
    expect(waiting).toMatchObject({ cacheStatus: 'STALE' });
    answers.engine.failing = false;
    await answers.clock.pass(16_000);
    expect(told(await asked(answers))[0]).toBe('HIT');
    await answers.close();
  });

  test('is told stale where its query has become too expensive', async () => {
    const answers = testAnswers({ caching: cold });
    await asked(answers);
    await answers.clock.pass(901_000);
    answers.engine.failing = true;
    answers.engine.fault = new GatewayError('QUERY_TOO_EXPENSIVE', 'The query would read too much');
    expect(told(await asked(answers))).toEqual(['STALE', 1]);
    await answers.close();
  });

  test('an error is never kept, and never asked again by itself', async () => {
    const answers = testAnswers();
    answers.engine.failing = true;
    await expect(asked(answers)).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    await answers.clock.pass(600_000);
    expect(answers.engine.runs).toBe(1);
    answers.engine.failing = false;
    expect(told(await asked(answers))).toEqual(['MISS', 2]);
    expect(answers.counters).toMatchObject({ failures: 1, misses: 1 });
    await answers.close();
  });

  test('no-cache runs the query anew, and what it gives is kept; its error is told', async () => {
    const answers = testAnswers({ caching: cold });
    await asked(answers);
    expect(told(await asked(answers, '', { forced: true }))).toEqual(['BYPASS', 2]);
    expect(told(await asked(answers))).toEqual(['HIT', 2]);
    answers.engine.failing = true;
    await expect(asked(answers, '', { forced: true })).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    await answers.close();
  });

  test('of a query that is not cached: one run a request, shared only by those in flight', async () => {
    const answers = testAnswers({ caching: ['caching: disabled'] });
    expect(told(await asked(answers))).toEqual(['BYPASS', 1]);
    expect(told(await asked(answers))).toEqual(['BYPASS', 2]);
    const both = Promise.all([answers.question(), answers.question()]);
    await answers.clock.pass(100);
    expect((await both).map(told)).toEqual([
      ['BYPASS', 3],
      ['BYPASS', 3],
    ]);
    await answers.close();
  });
});

describe('one flight', () => {
  test('a caller that leaves does not cancel the others; the last one to leave cancels the query', async () => {
    const answers = testAnswers();
    const [first, last] = [new AbortController(), new AbortController()];
    const leaving = answers.question('', { signal: first.signal });
    const staying = answers.question('', { signal: last.signal });
    await settled();
    first.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(answers.engine).toMatchObject({ runs: 1, cancelled: 0 });
    last.abort();
    await expect(staying).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(answers.engine).toMatchObject({ runs: 1, cancelled: 1 });

    // Whoever comes now does not get the error of those who left.
    expect(told(await asked(answers))).toEqual(['MISS', 2]);
    expect(answers.counters.failures).toBe(0);
    await answers.close();
  });

  test('a caller that has left before it asks is told so', async () => {
    const answers = testAnswers();
    await expect(answers.question('', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(answers.engine.runs).toBe(0);
    await answers.close();
  });
});

describe('a changed query', () => {
  const once = async (options: Parameters<typeof testAnswers>[0], memory: Map<string, unknown>) => {
    const answers = testAnswers({
      ...options,
      openShared: () => ({
        tried: Promise.resolve(),
        get: async (key) => memory.get(key) as never,
        publish: async (key, _fence, content) => void memory.set(key, content),
        take: async () => ({ role: 'leader', fence: '1' }),
        renew: async () => false,
        watch: async () => undefined,
        giveUp: async () => {},
        tellDemand: async () => {},
        demandSince: async () => new Map(),
        close: async () => {},
      }),
    });
    const answer = told(await asked(answers));
    await answers.close();
    return answer[0];
  };

  test('never gives the answers of the old one; the same one does', async () => {
    const memory = new Map<string, unknown>();
    expect(await once({}, memory)).toBe('MISS');
    expect(await once({}, memory)).toBe('HIT');
    expect(await once({ sql: 'select concat(@p) as x' }, memory)).toBe('MISS');
    expect(await once({ caching: ['caching: 60s'] }, memory)).toBe('HIT');
  });
});
