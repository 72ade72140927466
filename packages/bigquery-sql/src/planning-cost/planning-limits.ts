import type { PlanningCost } from './planning-costs.ts';

/** About how many tokens an expression of a caller may have with its macros expanded. */
export const maxExpandedSize = 15_000;

const maxCostlyDepth = 8;
const maxDepth = 100;

/** True if DuckDB takes too long to plan a caller's tree, however small it is. */
export const isTooDeep = ({ costlyDepth, depth }: PlanningCost): boolean =>
  costlyDepth > maxCostlyDepth || depth > maxDepth;

const maxSizeForPasses = 6_000;
const maxDepthForPasses = 60;

/** True if passes over a caller's tree would occupy the event loop for longer than they save. */
export const isTooLargeForPasses = ({ size, depth }: PlanningCost): boolean =>
  size > maxSizeForPasses || depth > maxDepthForPasses;
