import { judged } from '../../catalog/binding/caller-sql.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import { computingOwner, type LoopTurns } from '../../concurrency/loop-turns.ts';

/**
 * The SQL that BigQuery runs for a bound query.
 *
 * @throws GatewayError INVALID_PARAMETER if it has a caller's SQL that is not one SELECT over the common tables
 */
export type TextToRun = (bound: BoundQuery, owner: Owner) => string | Promise<string>;

/**
 * Callers' SQL is judged here, before anything is sent, and in turns of the event loop.
 *
 * @param analysisOf that of the version of the catalog that is served now
 */
export function buildTextToRun(analysisOf: AnalyzedCatalog['analysisOf'], turns: LoopTurns): TextToRun {
  return ({ query, sql }, owner) => {
    if (sql === undefined) return query.sql;
    return turns.wait(computingOwner(owner)).then(() => {
      const sandbox = analysisOf(query).sandbox();
      if (sandbox === undefined) throw new Error(`${query.name} takes no SQL`);
      return judged(() => sandbox.judge(sql).bigqueryText());
    });
  };
}
