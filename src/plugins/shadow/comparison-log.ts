import type { Logger } from 'pino';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { errorToLog } from '../../engine-contract/without-values.ts';
import { GatewayError } from '../../errors.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Difference } from './compare-versions.ts';
import { compareColumns } from './hash-rows.ts';

/** Writes to the log how comparisons have ended: differences and failures at most once a minute for each endpoint. */
export interface ComparisonLog {
  /** Names the columns that are not compared, once for each version of the two files. */
  columns(query: SavedQuery, target: SavedQuery): void;
  /** Values of rows and parameters are written at the level `debug` only. */
  difference(bound: BoundQuery, target: SavedQuery, difference: Difference): void;
  failure(query: SavedQuery, target: SavedQuery, error: unknown): void;
}

const logEveryMs = 60_000;

/** When lines about an endpoint were written, by `elapsedMs`. */
interface Logged {
  differenceAt: number;
  failureAt: number;
  hasColumns: boolean;
}

export function openComparisonLog(log: Logger, clock: PluginHost['clock']): ComparisonLog {
  const logged = new WeakMap<SavedQuery, Logged>();
  const never = Number.NEGATIVE_INFINITY;
  const loggedOf = (query: SavedQuery) =>
    getOrAdd<SavedQuery, Logged>(logged, query, () => ({
      differenceAt: never,
      failureAt: never,
      hasColumns: false,
    }));
  const now = clock.elapsedMs;
  return {
    columns(query, target) {
      const state = loggedOf(query);
      if (state.hasColumns) return;
      state.hasColumns = true;
      const { others } = compareColumns(query.columns, target.columns);
      if (others.length === 0) return;
      const message =
        'shadow: these columns are not compared, because only one version has them or their types differ';
      log.info({ endpoint: query.name, shadow: target.name, columns: others }, message);
    },
    difference({ query, parameters }, target, { examples, ...difference }) {
      const names = { endpoint: query.name, shadow: target.name };
      if (examples !== undefined) {
        log.debug({ ...names, parameters, ...examples }, 'shadow differs in these rows');
      }
      const state = loggedOf(query);
      if (now() < state.differenceAt + logEveryMs) return;
      state.differenceAt = now();
      const set = query.parameters.filter(
        ({ name, default: text = '' }) => String(parameters[name]) !== String(text),
      );
      log.warn({ ...names, ...difference, parameters: set.map(({ name }) => name) }, 'shadow differs');
    },
    failure(query, target, error) {
      const state = loggedOf(query);
      if (now() < state.failureAt + logEveryMs) return;
      state.failureAt = now();
      const { code, cause = error } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
      log.warn(
        { endpoint: query.name, shadow: target.name, code, err: errorToLog(cause, log) },
        'shadow failed; callers are not affected',
      );
    },
  };
}
