import { expect, test } from 'vitest';
import { FairShare, type Owner } from '../../src/concurrency/fair-share.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

const fill = (share: FairShare, owner: Owner, amount = 1) => {
  let taken = 0;
  while (share.tryTake(owner, amount)) taken += amount;
  return taken;
};

test('one owner alone reaches seven eighths', () => {
  expect(fill(new FairShare(2_000), 'a')).toBe(1_750);
  expect(fill(new FairShare(128_000_000), 'a', 3_000_000)).toBe(111_000_000);
});

test('a small resource is used completely: a place cannot be divided', () => {
  expect([1, 2, 6].map((capacity) => fill(new FairShare(capacity), 'a'))).toEqual([1, 2, 6]);
  expect(fill(new FairShare(0), 'a')).toBe(0);
});

test('an owner that holds little is served beside several greedy ones', () => {
  const share = new FairShare(1_000);
  for (let round = 0; round < 1_000; round += 1) {
    for (const owner of ['a', 'b', 'c', 'd']) share.tryTake(owner);
  }
  expect(['a', 'b', 'c', 'd'].map((owner) => share.heldBy(owner))).toEqual([242, 242, 241, 241]);
  expect(share.tryTake('e', 10)).toBe(true);
});

test('what is given back can be taken again, and what is in use in any case may exceed the capacity', () => {
  const share = new FairShare(10);
  share.take('a', 12);
  expect(share.used).toBe(12);
  expect(share.tryTake('b')).toBe(false);
  share.giveBack('a', 12);
  expect([share.used, share.heldBy('a')]).toEqual([0, 0]);
  expect(share.tryTake('b')).toBe(true);
});

test('owners that hold nothing are forgotten when there are very many', () => {
  const share = new FairShare(100);
  const used = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let at = 0; at < 1_000_000; at += 1) {
    share.take(`owner ${at}`);
    share.giveBack(`owner ${at}`);
  }
  expect(share.used).toBe(0);
  expect(used() - before).toBeLessThan(60_000_000);
  // The others keep what they hold.
  share.take('a', 5);
  share.tryTake('b');
  share.giveBack('b');
  expect([share.heldBy('a'), share.heldBy('b'), share.used]).toEqual([5, 0, 5]);
});

test('keys with the same tenants share what one owner may have, and one of them leaves some for the others', () => {
  const share = new FairShare(1_000);
  const keys = ['1', '2', '3', '4', '5', '6', '7', '8'].map((key) => ({ group: 'a', key }));
  expect(fill(share, keys[0])).toBe(766);
  for (const key of keys) fill(share, key);
  expect(share.heldBy(keys[7])).toBe(875);
  expect(fill(share, 'b', 10)).toBe(110);
  for (const key of keys) share.giveBack(key, 1);
  expect(share.heldBy(keys[0])).toBe(867);
});
