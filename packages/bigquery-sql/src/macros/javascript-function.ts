import type { ScalarName } from '../types.ts';

/**
 * The functions of DuckDB that call functions written in JavaScript: with the text of a `JavascriptFunction`, and a
 * JSON array of the arguments with texts for their values. The result is a text too. DuckDB calls `eachTime` for every row, even with equal arguments.
 */
export const javascriptCalls = {
  once: 'host_javascript',
  eachTime: 'host_javascript_each_time',
} as const;

/** A function in JavaScript as the process that computes it needs it. */
export interface JavascriptFunction {
  /** For messages. */
  readonly name: string;
  readonly parameters: readonly JavascriptParameter[];
  readonly returns: JavascriptType;
  /** The statements of its body, or the module of an aggregate. */
  readonly code: string;
  /** Each of its calls has the rows of a group and the arguments of the group: `[[row, …], group]`. */
  readonly isAggregate?: true;
}

interface JavascriptParameter {
  readonly name: string;
  readonly type: JavascriptType;
  /** The same for all rows of an aggregate. */
  readonly ofGroup?: true;
}

/** A type of BigQuery that values of JavaScript have. */
export type JavascriptType =
  | Exclude<ScalarName, 'BIGNUMERIC' | 'TIME' | 'DATETIME' | 'INTERVAL'>
  | { readonly element: JavascriptType }
  | { readonly fields: readonly (readonly [name: string, type: JavascriptType])[] };
