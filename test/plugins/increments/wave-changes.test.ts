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
  expect([(await slow).state, (await quick).state, waves.stateAt('q', 1000)]).toEqual(['5', '5', '5']);
});
