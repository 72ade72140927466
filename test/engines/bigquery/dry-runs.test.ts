import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { waitingForEach } from '../../../src/config/engine-limits.ts';
import { completeBody, neverRespond, reply } from '../../support/fake-bigquery.ts';
import { openWithFake, testQuery } from './open-with-fake.ts';

test('as many dry runs as runs are made at the same time', async () => {
  const { fake, engine, close } = await openWithFake({ ENGINE_CONCURRENCY: '2' });
  try {
    const open: ServerResponse[] = [];
    fake.respondWith((response) => void open.push(response));
    const { signal } = new AbortController();
    const bound = bind(testQuery, new Map());
    const estimates = Promise.all(Array.from({ length: 5 }, () => engine.estimateBytes?.(bound, { signal })));
    for (const count of [2, 2, 1]) {
      await expect.poll(() => open.length).toBe(count);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(open).toHaveLength(count);
      const body = JSON.stringify(completeBody([], { totalBytesProcessed: '7' }));
      for (const response of open.splice(0)) response.end(body);
    }
    expect(await estimates).toEqual([7, 7, 7, 7, 7]);
  } finally {
    await close();
  }
});

test('a dry run that waits behind those without a response ends within the time that it has', async () => {
  const { fake, engine, close } = await openWithFake({ ENGINE_CONCURRENCY: '1', ENGINE_TIMEOUT_MS: '1200' });
  try {
    fake.respondWith(neverRespond);
    const { signal } = new AbortController();
    const started = performance.now();
    const estimates = Array.from({ length: 4 }, () =>
      engine.estimateBytes?.(bind(testQuery, new Map()), { signal, timeoutMs: 300 }),
    );
    for (const estimate of estimates)
      await expect(estimate).rejects.toMatchObject({ code: 'ENGINE_TIMEOUT' });
    expect(performance.now() - started).toBeLessThan(900);
  } finally {
    await close();
  }
});

test('a dry run has the time of a run, or all of the time that it is given', async () => {
  const { fake, engine, close } = await openWithFake({ ENGINE_TIMEOUT_MS: '2000' });
  try {
    const { signal } = new AbortController();
    const send = reply(completeBody([], { totalBytesProcessed: '7' }));
    const estimate = (within: { timeoutMs?: number }) =>
      engine.estimateBytes?.(bind(testQuery, new Map()), { signal, ...within });
    fake.respondWith(send);
    await estimate({});
    for (const within of [{}, { timeoutMs: 1_000 }]) {
      fake.respondWith((response, ...others) => void setTimeout(() => send(response, ...others), 800));
      expect(await estimate(within)).toBe(7);
      expect(fake.received).toHaveLength(1);
    }
  } finally {
    await close();
  }
});

test('more dry runs than runs may wait are made in turn', async () => {
  const { fake, engine, close } = await openWithFake({ ENGINE_CONCURRENCY: '1' });
  try {
    fake.respondWith(reply(completeBody([], { totalBytesProcessed: '7' })));
    const { signal } = new AbortController();
    const bound = bind(testQuery, new Map());
    const estimates = Array.from({ length: waitingForEach + 2 }, () =>
      engine.estimateBytes?.(bound, { signal }),
    );
    expect(new Set(await Promise.all(estimates))).toEqual(new Set([7]));
  } finally {
    await close();
  }
});
