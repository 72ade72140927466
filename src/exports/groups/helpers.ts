/** Small helpers: what is computed once, and for each key once; waiting that an abort ends; counts for metrics; what outlives a process, in a file or in Redis. @module */
export { untilAborted } from '../../concurrency/abort.ts';
export { pathProblem } from '../../files/path-problem.ts';
export { replaceFile } from '../../files/replace-file.ts';
export { type Count, Counts } from '../../gateway/metrics/counts.ts';
export { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';
export { getOrAdd } from '../../get-or-add.ts';
export { memoize, once } from '../../memoize.ts';
export type { SharedState } from '../../redis/shared-state.ts';
