import type { Answer } from '../values.ts';

/** An answer, and the milliseconds until it was there. */
export interface Measured {
  readonly answer: Answer;
  readonly ms: number;
}
