import type { Query } from '../tree/nodes.ts';

/** What passes may need to know beside the tree. */
export interface PassOptions {
  /** The values of parameters that are known before the query runs. */
  readonly known: Readonly<Record<string, string>>;
  /** A name that occurs nowhere else in the tree. */
  readonly fresh: (prefix: string) => string;
}

/**
 * Takes a tree and gives one of the same meaning that is cheaper to plan or to run. No pass relies on another one: any
 * of them can be left out.
 */
export type Pass = (query: Query, options: PassOptions) => Query;
