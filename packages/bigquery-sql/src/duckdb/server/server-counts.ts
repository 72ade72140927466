import { call, integerLiteral } from '../../tree/build.ts';
import { mapExpressions } from '../../tree/map.ts';
import type { FinishPlan } from '../plan.ts';

/**
 * Counts that are never NULL. The server of Quack 1.5 plans with a copy of DuckDB's code, in which COUNT is another function than
 * the one that the planner compares with: in a correlated subquery, the count of no rows is NULL.
 */
export const withCountsForServer: FinishPlan = (query) =>
  mapExpressions(query, (node) =>
    node.kind === 'aggregate' && node.function === 'count' && node.over === undefined
      ? call('coalesce', [node, integerLiteral(0)], node.type)
      : node,
  );
