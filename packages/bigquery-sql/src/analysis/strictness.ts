import { macros } from '../macros/macros.ts';
import { macroName } from '../tree/macro-name.ts';
import type { Operation } from '../tree/nodes.ts';

/** Operators whose result is NULL if and only if an operand is; BETWEEN may not be if a bound is. */
const strictOperators: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  '||',
  '+',
  '-',
  '*',
  '%',
  '&',
  '|',
  'NOT',
  'BETWEEN',
  'NOT BETWEEN',
]);

export const isStrictOperator = ({ operator }: Operation): boolean => strictOperators.has(operator);

/** Functions of DuckDB of which the same is true. */
const strictInDuckdb: ReadonlySet<string> = new Set([
  ...['abs', 'length', 'lower', 'ltrim', 'replace', 'round', 'rtrim', 'to_base64'],
]);

/** True if a function returns NULL exactly when an argument is NULL. */
export const isStrictFunction = (callee: string): boolean => {
  const signatures = macros.get(macroName(callee) ?? '') ?? [];
  return strictInDuckdb.has(callee) || signatures.some(({ isStrict }) => isStrict);
};
