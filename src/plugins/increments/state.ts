import { z } from 'zod';

/** A run's note for the one that replaces its result. */
export interface RunState {
  /** The current time in its SQL, in milliseconds since the epoch. */
  readonly at: number;
  /** The state of its tables before it ran. */
  readonly tables: string;
  /** As its rows had it. */
  readonly dataVersion?: string | undefined;
}

const schema = z.strictObject({
  ...{ v: z.literal(1), at: z.int().min(0), tables: z.string() },
  dataVersion: z.string().optional(),
});

/** The state as text, which is stored with the result. */
export const stateText = ({ at, tables, dataVersion }: RunState): string =>
  JSON.stringify({ v: 1, at, tables, dataVersion });

/** @returns undefined for any other text: then all is read */
export function parseState(text: string | undefined): RunState | undefined {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}
