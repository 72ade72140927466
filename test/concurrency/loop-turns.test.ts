import { expect, test, vi } from 'vitest';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';

/** Does some work in as many pieces, and records the name at each. */
const work = (turns: LoopTurns, owner: string, pieces: number, ms: number, order: string[]) =>
  Promise.all(
    Array.from({ length: pieces }, async () => {
      const turn = turns.next(owner);
      if (turn !== undefined) await turn;
      blockEventLoop(ms);
      order.push(owner);
    }),
  );

test('short work begins at once', async () => {
  const turns = new LoopTurns();
  expect([turns.next('a'), turns.next('b')]).toEqual([undefined, undefined]);
});

test('after ten milliseconds of work, each further piece has a turn of the event loop of its own', async () => {
  const turns = new LoopTurns();
  let loopTurns = 0;
  const count = () => {
    loopTurns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await work(turns, 'a', 20, 11, []);
  clearImmediate(immediate);
  expect(loopTurns).toBeGreaterThanOrEqual(18);
});

test('owners take turns', async () => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const many = work(turns, 'a', 20, 11, order);
  const few = work(turns, 'b', 2, 1, order);
  await Promise.all([many, few]);
  expect(order.slice(0, 5).sort()).toEqual(['a', 'a', 'a', 'b', 'b']);
});

test('work that cannot begin at once has a turn of its own each time', async () => {
  const turns = new LoopTurns();
  let loopTurns = 0;
  const count = () => {
    loopTurns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await Promise.all(Array.from({ length: 5 }, () => turns.wait('a')));
  clearImmediate(immediate);
  expect(loopTurns).toBeGreaterThanOrEqual(4);
});

test('work lets arrivals pass for as long as the work before it took, and for ten milliseconds at most', async () => {
  let nowMs = 0;
  using _clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const turns = new LoopTurns();
  const log: string[] = [];
  const arrive = () => {
    nowMs += 1;
    turns.noteArrival();
    log.push('arrival');
    immediate = setImmediate(arrive);
  };
  let immediate = setImmediate(arrive);
  await Promise.all(
    [20, 0, 0].map(async (ms) => {
      const turn = turns.next('a');
      if (turn !== undefined) await turn;
      nowMs += ms;
      log.push('work');
    }),
  );
  clearImmediate(immediate);
  const [first = 0, second = 0, third = 0] = log.flatMap((name, at) => (name === 'work' ? [at] : []));
  expect(second - first).toBeGreaterThanOrEqual(10);
  expect(second - first).toBeLessThan(15);
  expect(third - second).toBeLessThan(5);
});
