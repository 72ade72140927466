import { macroName } from '../tree/macro-name.ts';
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

const strictFunctions =
  /^(?:(?:timestamp|datetime|date|time)(?:_(?:add|sub|diff|trunc)(?:_\w+)?)?|extract_\w+|lower|upper|l?r?trim|length|abs|round|ceil|ceiling|floor|div|mod|op_(?:add|subtract|multiply|divide)|concat|replace|starts_with|ends_with|regexp_(?:contains|matches|replace)|format_(?:timestamp|date|datetime)|parse_(?:timestamp|date|datetime)|cast_\w+|timestamp_(?:seconds|millis|micros)|to_hex|to_base64|unix_(?:seconds|millis|micros|date))$/;

/** Whether a function returns NULL if and only if an argument is NULL. */
export const isStrictFunction = (callee: string): boolean =>
  strictFunctions.test(macroName(callee) ?? callee);

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
