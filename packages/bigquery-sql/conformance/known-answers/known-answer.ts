import type { Answer, Value } from '../values.ts';

/** A statement with the answer that the authors of another project state. */
export interface KnownAnswer {
  /** The file and the name that it has there. */
  readonly source: string;
  readonly sql: string;
  /** Why it cannot be run here; undefined if it can. */
  readonly skipped?: string;
  /** Whether the answer is the stated one; rows are without regard to their order. */
  isStated(answer: Answer): boolean;
}

/** Whether values are the same in some order. */
export function isInSomeOrder<T>(
  found: readonly Value[],
  stated: readonly T[],
  isSame: (value: Value, stated: T) => boolean,
): boolean {
  const left = [...stated];
  return (
    found.length === stated.length &&
    found.every((value) => {
      const at = left.findIndex((one) => isSame(value, one));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    })
  );
}
