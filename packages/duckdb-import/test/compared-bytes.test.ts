import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ComparedBytes } from '../src/scan/fingerprint.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const mb = 1 << 20;

test('bytes are compared as time passes, however many files there are', () => {
  const compared = new ComparedBytes();
  const files = () => Array.from({ length: 100 }, () => compared.take(40 * mb)).filter(Boolean).length;
  expect(files()).toBe(6);
  vi.advanceTimersByTime(5000);
  expect(files()).toBe(1);
  vi.advanceTimersByTime(12 * 3_600_000);
  expect(files()).toBe(6);
});

test('a long file is compared when no other was, and leaves none for others as long as it takes', () => {
  const compared = new ComparedBytes();
  expect(compared.take(mb)).toBe(true);
  expect(compared.take(1000 * mb)).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(compared.take(1000 * mb)).toBe(true);
  vi.advanceTimersByTime(90_000);
  expect(compared.take(mb)).toBe(false);
  vi.advanceTimersByTime(10_000);
  expect(compared.take(mb)).toBe(true);
});
