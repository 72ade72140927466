/** Kinds of frames to a process that computes functions in JavaScript: all are JSON. */
export const toProcess = { compute: 1, forget: 2 } as const;

/** Kinds of frames from it. */
export const fromProcess = { answer: 1, ready: 2 } as const;

/** With `compute`. */
export interface ComputeRequest {
  /** The statement, whose calls share what a function keeps. */
  readonly id: number;
  readonly definition: string;
  /** JSON: an array with the texts of the arguments for each row. */
  readonly rows: string;
  readonly timeoutMs: number;
}

/** With `forget`: the number of a statement that has ended. */
export interface ForgetRequest {
  readonly id: number;
}
