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

/** How many nodes passes put inside each other: DuckDB takes 1,000, of which a node with its macros expanded may be ten. */
export const maxInlinedDepth = 40;

/** How deep a common table may be that passes write into its reader: they recurse, and a chain of tables has any length. */
export const maxNestedDepth = 1_000;

/** The tokens that copies of a value may add to DuckDB's plan where passes write it into a call: they grow with each call. */
export const maxCopiedSize = 1_000;
