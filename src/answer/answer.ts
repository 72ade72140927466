import type { Bound } from '../catalog/bind.ts';
import type { Engine } from '../engine/engine.ts';

/** The rows for one question, and what is to be said about them. */
export interface Answer {
  /** The rows as the text of one JSON array, serialised once for all callers. */
  readonly json: string;
  readonly rowCount: number;
  /** True where max rows cut the result. */
  readonly truncated: boolean;
  readonly computedAt: Date;
}

/**
 * Gives the answer to a question.
 *
 * @param signal aborted when the caller has gone
 * @returns at most `query.maxRows` rows, in the order of the SQL
 * @throws GatewayError ENGINE_FAILED | ENGINE_TIMEOUT | DATA_UNREADABLE | INVALID_PARAMETER | CANCELLED
 * @see spec "Common call shape", "Limits": rows capped at max rows
 */
export type Ask = (bound: Bound, signal: AbortSignal) => Promise<Answer>;

export function buildAsk(engine: Engine, now: () => Date): Ask {
  return async (bound, signal) => {
    const computedAt = now();
    const { rows, truncated } = await engine.run(bound, { signal });
    return { json: `[${rows.join(',')}]`, rowCount: rows.length, truncated, computedAt };
  };
}
