import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WaveChanges } from '../../../src/plugins/increments/wave-changes.ts';

test('the state of a wave is as old as that of its first look, also if a later one is answered sooner', async () => {
  const waves = new WaveChanges();
  let state = '5';
  /** As engines do that answer some time after they have looked. */
  const look = (ms: number) => async () => {
    const found = { state, changed: [] };
    await sleep(ms);
    return found;
  };
  const slow = waves.since('q', 1000, '3', look(20));
  state = '7';
  const quick = waves.since('q', 1000, '4', look(0));
  expect([(await slow).state, (await quick).state, await waves.stateAt('q', 1000)]).toEqual(['5', '5', '5']);
});

test('a look without a state holds up no other, and the wave has the state of the next one', async () => {
  const waves = new WaveChanges();
  const begun: string[] = [];
  const looked = Promise.withResolvers<void>();
  const look = (since: string, state: string) =>
    waves.since('q', 1000, since, async () => {
      begun.push(since);
      await looked.promise;
      return { state, changed: 'late' };
    });
  const all = [look('3', ''), look('4', '7'), look('5', '8')];
  expect(begun).toEqual(['3', '4', '5']);
  looked.resolve();
  expect((await Promise.all(all)).map(({ state }) => state)).toEqual(['7', '7', '7']);
  expect([await waves.stateAt('q', 1000), (await look('3', '9')).state]).toEqual(['7', '7']);
  expect(begun).toEqual(['3', '4', '5', '3']);
});

test('no state is newer than a run that began without one', async () => {
  const waves = new WaveChanges();
  const look = (state: string) => () => Promise.resolve({ state, changed: [] });
  expect((await waves.since('q', 1000, '3', look(''))).state).toBe('');
  expect([(await waves.since('q', 1000, '3', look('7'))).state, await waves.stateAt('q', 1000)]).toEqual([
    '',
    '',
  ]);
});
