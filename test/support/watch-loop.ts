import { measureLongestTurn } from './longest-turn.ts';

/**
 * Preloaded into a gateway: says how much processor time the longest turn of its event loop took. The first SIGUSR2 begins,
 * each other one reports and begins anew.
 */
let end: (() => number) | undefined;

process.on('SIGUSR2', () => {
  if (end !== undefined) process.stderr.write(`longest turn of the event loop: ${Math.round(end())} ms\n`);
  end = measureLongestTurn();
});
