import { macroName } from '../tree/macro-name.ts';
import { macros } from '../macros/macros.ts';
import type { Expression, Operation } from '../tree/nodes.ts';

/** Operators whose result is NULL if and only if an operand is. */
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

/** Whether a function returns NULL if and only if an argument is NULL. */
export const isStrictFunction = (callee: string): boolean => {
  const signatures = macros.get(macroName(callee) ?? '') ?? [];
  return strictInDuckdb.has(callee) || signatures.some(({ isStrict }) => isStrict);
};

/**
 * The arguments and the result of a call whose arguments are computed once: `list_transform([row(a, b)], x -> f(x[1], x[2]))[1]`.
 */
export function callOnce(
  value: Expression,
): { readonly args: readonly Expression[]; readonly result: Expression } | undefined {
  if (value.kind !== 'element' || value.index !== 1) return undefined;
  const { of } = value;
  if (of.kind !== 'call' || of.function !== 'list_transform') return undefined;
  const [list, lambda] = of.args;
  if (list?.kind !== 'list' || lambda?.kind !== 'lambda') return undefined;
  const [item, another] = list.items;
  if (item === undefined || another !== undefined) return undefined;
  return {
    args: item.kind === 'struct' ? item.fields.map(({ value: field }) => field) : rowItems(item),
    result: lambda.body,
  };
}

const rowItems = (item: Expression): readonly Expression[] =>
  item.kind === 'call' && item.function === 'row' ? item.args : [item];
