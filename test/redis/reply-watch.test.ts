import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openReplyWatch, read, type ReplyWatch } from '../../src/redis/reply-watch.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';

const never = new Promise<never>(() => {});

describe('the watch over the replies of a connection', () => {
  let watch: ReplyWatch;
  let errors: string[];
  beforeEach(() => {
    errors = [];
    watch = openReplyWatch(
      (error) => errors.push(error.message),
      () => false,
    );
  });
  afterEach(() => watch.close());

  test('reports a silence of 100 ms, once', async () => {
    watch.track(never);
    await sleep(50);
    expect(errors).toEqual([]);
    await expect.poll(() => errors).toEqual(['no reply within 100 ms']);
    await sleep(200);
    expect(errors).toHaveLength(1);
  });

  test('does not charge a blocked event loop', async () => {
    watch.track(sleep(150));
    for (let turn = 0; turn < 5; turn += 1) {
      blockEventLoop(100);
      await new Promise(setImmediate);
    }
    expect(errors).toEqual([]);
  });

  test('accepts a late reply while replies to earlier calls keep coming', async () => {
    const replies = [50, 100, 150, 200, 250].map((ms) => watch.track(sleep(ms)));
    await Promise.all(replies);
    expect(errors).toEqual([]);
  });

  test('counts an error as a reply, and passes it on', async () => {
    watch.track(never);
    for (let reply = 0; reply < 4; reply += 1) {
      const failing = watch.track(sleep(50).then(() => Promise.reject(new Error('OOM'))));
      await expect(failing).rejects.toThrow('OOM');
    }
    expect(errors).toEqual([]);
  });

  test('reports a call that waits for 300 ms although replies to others keep coming', async () => {
    watch.track(never);
    while (errors.length === 0) await watch.track(sleep(50));
    expect(errors).toEqual(['no reply within 300 ms']);
  });

  test('does not count time in which no call waits', async () => {
    for (let call = 0; call < 3; call += 1) {
      await watch.track(sleep(60));
      await sleep(60);
    }
    expect(errors).toEqual([]);
  });

  test('takes each part of a large reply as a sign of life, for some seconds at most', async () => {
    watch = openReplyWatch(
      (error) => errors.push(error.message),
      () => true,
    );
    expect(await watch.track(sleep(600, 'large'))).toBe('large');
    const stopped = openReplyWatch((error) => errors.push(error.message), movesFor(20));
    stopped.track(never);
    await expect.poll(() => errors).toEqual(['no reply within 100 ms']);
  });

  test('lets a large command be sent before it reports a silence, for some seconds at most', async () => {
    expect(await watch.track(sleep(400, 'large'), { sentBytes: 2_000_000 })).toBe('large');
    watch.track(never, { sentBytes: 1_000_000 });
    await sleep(250);
    expect(errors).toEqual([]);
    await expect.poll(() => errors).toEqual(['no reply within 100 ms']);
  });

  test('reports a silence behind which a large command waits', async () => {
    watch.track(never);
    watch.track(never, { sentBytes: 10_000_000 });
    await sleep(200);
    expect(errors).toEqual(['no reply within 100 ms']);
  });

  test('lets a read go on that waits for 300 ms behind a large call, and a write wait for its turn', async () => {
    const late: string[] = [];
    const large = watch.track(sleep(800, 'large'), { sentBytes: 5_000_000 });
    const small = watch.track(sleep(805, 'small'), read);
    const lease = watch.track(sleep(810, 'lease'), { onLate: (reply) => late.push(reply) });
    const write = watch.track(sleep(815, 'write'), { sentBytes: 10 });
    expect(await Promise.race([large, small])).toBeUndefined();
    expect([await lease, late]).toEqual([undefined, []]);
    expect([await large, await write, late]).toEqual(['large', 'write', ['lease']]);
    expect(errors).toEqual([]);
  });
});

function movesFor(ticks: number): () => boolean {
  let left = ticks;
  return () => {
    left -= 1;
    return left > 0;
  };
}
