import { expect, test } from 'vitest';
import { turns } from '../../src/concurrency/turns.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function workMs(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Work of some milliseconds that notes in which turn of the event loop it ran. */
async function work(ms: number, turnOf: () => number): Promise<number> {
  const turn = turns.claim();
  if (turn !== undefined) await turn;
  const at = turnOf();
  workMs(ms);
  return at;
}

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let count = 0;
  let isRunning = true;
  const next = () => {
    count += 1;
    if (isRunning) setImmediate(next);
  };
  setImmediate(next);
  return {
    current: () => count,
    stop: () => {
      isRunning = false;
    },
  };
}

test('work of more than ten milliseconds is split over turns of the event loop, first come first served', async () => {
  await nextTurn();
  const { current, stop } = countTurns();
  const ran = await Promise.all(Array.from({ length: 8 }, () => work(6, current)));
  stop();
  expect(ran).toEqual([...ran].sort((a, b) => a - b));
  expect(new Set(ran).size).toBeGreaterThanOrEqual(6);
});

test('short work is done at once', async () => {
  await nextTurn();
  expect(Array.from({ length: 100 }, () => turns.claim())).toEqual(Array(100).fill(undefined));
});

test('work that waits does not delay short work that comes later', async () => {
  await nextTurn();
  const order: string[] = [];
  const large = Array.from({ length: 20 }, (_, at) => work(4, () => order.push(`large ${at}`)));
  await nextTurn();
  await nextTurn();
  await work(0, () => order.push('small'));
  await Promise.all(large);
  expect(order.indexOf('small')).toBeLessThan(10);
});

test('work that begins later has a turn of its own', async () => {
  const { current, stop } = countTurns();
  const ran = await Promise.all(Array.from({ length: 5 }, () => turns.next().then(current)));
  stop();
  expect(new Set(ran).size).toBe(5);
});
