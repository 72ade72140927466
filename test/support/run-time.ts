import type { RunTime } from '../../src/results/result-document.ts';

/** The time of a run where the clock of the machine, and that of the process, began together. */
export const runTime = (ms: number): RunTime => ({ computedAt: ms, begunAt: ms });
