import type { CreateFunction } from '../syntax/nodes.ts';

/** A function that `CREATE TEMP FUNCTION` defines before the query. */
export interface SqlFunction {
  readonly definition: CreateFunction;
}
