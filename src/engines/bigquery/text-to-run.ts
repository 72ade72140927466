import { judged } from '../../catalog/binding/caller-sql.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import { computingOwner, type LoopTurns } from '../../concurrency/loop-turns.ts';
import { openSandbox, type Sandbox } from '@querygate/bigquery-sql/sandbox';

/**
 * The SQL that BigQuery runs for a bound query.
 *
 * @throws GatewayError INVALID_PARAMETER if it has a caller's SQL that is not one SELECT over the common tables
 */
export type TextToRun = (bound: BoundQuery, owner: Owner) => string | Promise<string>;

/**
 * Callers' SQL is judged here, before anything is sent, and in turns of the event loop.
 *
 * @param tables of the version of the catalog that is served now
 */
export function buildTextToRun(tables: () => Catalog['tables'], turns: LoopTurns): TextToRun {
  const sandboxes = new WeakMap<
    SavedQuery,
    { readonly tables: Catalog['tables']; readonly sandbox: Sandbox }
  >();
  const sandboxOf = (query: SavedQuery): Sandbox => {
    const current = tables();
    const known = sandboxes.get(query);
    if (known?.tables === current) return known.sandbox;
    const sandbox = openSandbox(query, current, { hasOpenTables: true });
    sandboxes.set(query, { tables: current, sandbox });
    return sandbox;
  };
  return ({ query, sql }, owner) => {
    if (sql === undefined) return query.sql;
    return turns
      .wait(computingOwner(owner))
      .then(() => judged(() => sandboxOf(query).judge(sql)).bigqueryText());
  };
}
