import type { Bound } from '../catalog/bind.ts';
import type { Cost, Engine } from '../engine/engine.ts';

/** The rows for one question, and what is to be said about them. */
export interface Answer {
  /** The rows as the text of one JSON array, serialised once for all callers. */
  readonly json: string;
  readonly rowCount: number;
  /** True where max rows cut the result. */
  readonly truncated: boolean;
  readonly computedAt: Date;
  /** What computing the rows cost; only from engines that are paid for. */
  readonly cost?: Cost;
}

/**
 * Gives the answer to a question.
 *
 * @param signal aborted when the caller has gone
 * @returns at most `query.maxRows` rows, in the order of the SQL
 * @throws GatewayError as the engine's `run` does
 * @see spec "Common call shape", "Limits": rows capped at max rows
 */
export type Ask = (bound: Bound, signal: AbortSignal) => Promise<Answer>;

/** @param onCost told what each run cost, by endpoint */
export function buildAsk(
  engine: Engine,
  now: () => Date,
  onCost: (endpoint: string, cost: Cost) => void,
): Ask {
  return async (bound, signal) => {
    const computedAt = now();
    const { rows, truncated, cost } = await engine.run(bound, { signal });
    if (cost !== undefined) onCost(bound.query.name, cost);
    const answer = { json: `[${rows.join(',')}]`, rowCount: rows.length, truncated, computedAt };
    return cost === undefined ? answer : { ...answer, cost };
  };
}
