/** Small helpers: what is computed once, and for each key once. @module */
export { getOrAdd } from '../../get-or-add.ts';
export { memoize, once } from '../../memoize.ts';
