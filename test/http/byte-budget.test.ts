import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/http/message/byte-budget.ts';

const refused = expect.objectContaining({ code: 'OVERLOADED', retryAfterSeconds: 1 });

test('a key alone reserves seven eighths; another one gets the rest', () => {
  const budget = new ByteBudget(8_000, 10);
  const charges = Array.from({ length: 7 }, () => budget.reserve('a', 1_000));
  expect(() => budget.reserve('a', 1_000)).toThrow(refused);
  budget.reserve('b', 500);
  expect(budget.usedBytes).toBe(7_500);
  charges[0]?.release();
  budget.reserve('b', 800);
  expect(budget.usedBytes).toBe(7_300);
});

test('the first response may be of any size', () => {
  const budget = new ByteBudget(1_000, 10);
  const charge = budget.reserve('a', 5_000);
  expect(() => budget.reserve('b', 20)).toThrow(refused);
  charge.release();
  expect(budget.usedBytes).toBe(0);
});

test('the real size replaces the estimate, and a body that is sent twice is charged once until both have ended', () => {
  const budget = new ByteBudget(10_000, 10);
  const body = Buffer.alloc(300);
  const building = budget.reserve('a', 1_000);
  budget.settle(building, body);
  expect(budget.usedBytes).toBe(300);
  const sent = [budget.hold('a', body), budget.hold('b', body)];
  building.release();
  expect(budget.usedBytes).toBe(300);
  sent[0]?.release();
  expect(budget.usedBytes).toBe(300);
  sent[1]?.release();
  expect(budget.usedBytes).toBe(0);
  budget.hold('b', body).release();
  expect(budget.usedBytes).toBe(0);
});

test('a body from a cache is refused for want of room, unless it is being sent already', () => {
  const budget = new ByteBudget(1_000, 10);
  const body = Buffer.alloc(500);
  const charge = budget.hold('a', Buffer.alloc(900));
  expect(() => budget.requireRoom('a', body)).toThrow(refused);
  const sending = budget.hold('b', body);
  budget.requireRoom('a', body);
  sending.release();
  expect(() => budget.requireRoom('b', body)).toThrow(refused);
  charge.release();
  budget.requireRoom('b', body);
});

test('what is refused is not charged', () => {
  const budget = new ByteBudget(1_000, 10);
  const charge = budget.reserve('a', 500);
  expect(() => charge.add(900)).toThrow(refused);
  expect(budget.usedBytes).toBe(500);
  charge.release();
  expect(budget.usedBytes).toBe(0);
});
