import { expect, test } from 'vitest';
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

test('work lets arrivals pass for as long as the work before it took, and not longer', async () => {
  const turns = new LoopTurns();
  const log: string[] = [];
  const arrive = () => {
    turns.noteArrival();
    log.push('arrival');
    immediate = setImmediate(arrive);
  };
  let immediate = setImmediate(arrive);
  await Promise.all(
    [20, 0, 0].map(async (ms) => {
      const turn = turns.next('a');
      if (turn !== undefined) await turn;
      blockEventLoop(ms);
      log.push('work');
    }),
  );
  clearImmediate(immediate);
  const [first, second, third] = log.flatMap((name, at) => (name === 'work' ? [at] : []));
  expect(Number(second) - Number(first)).toBeGreaterThan(20);
  expect(Number(third) - Number(second)).toBeLessThan((Number(second) - Number(first)) / 2);
});
