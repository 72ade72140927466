import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildAutoRefresh } from '../src/result/auto-refresh.ts';

beforeEach(() => {
  vi.useFakeTimers();
  const createElement = () => Object.assign(new EventTarget(), { setAttribute() {}, append() {} });
  vi.stubGlobal('document', Object.assign(new EventTarget(), { createElement, hidden: false }));
  // As people have chosen it on the page of a query.
  vi.stubGlobal('localStorage', { getItem: () => 'off' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const cached = { ttl: 120 };

test.each([
  ['is refreshed', cached, 122, 1],
  ['of a query that is not cached is not: each would be a run', undefined, 62, 0],
] as const)('a chart in a frame %s', (_, caching, seconds, expected) => {
  let refreshes = 0;
  const count = () => {
    refreshes += 1;
  };
  const embedded = buildAutoRefresh(caching, count, true);
  embedded.succeeded(0);
  buildAutoRefresh(caching, count).succeeded(0);
  vi.advanceTimersByTime((seconds - 1) * 1000);
  expect(refreshes).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(refreshes).toBe(expected);
});
