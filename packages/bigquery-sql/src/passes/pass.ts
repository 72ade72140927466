import type { Query } from '../tree/nodes.ts';

/** The text of a STRING by its name; null for a parameter of any type that is NULL. */
export type KnownValues = Readonly<Record<string, string | null>>;

/** The options and facts that passes may need beside the tree. */
export interface PassOptions {
  /** The values of parameters that are known before the query runs. */
  readonly known: KnownValues;
  /** A name that occurs nowhere else in the tree. */
  readonly fresh: (prefix: string) => string;
}

/**
 * Takes a tree and gives one of the same meaning that is cheaper to plan or to run. No pass relies on another one: any
 * of them can be left out.
 */
export type Pass = (query: Query, options: PassOptions) => Query;
