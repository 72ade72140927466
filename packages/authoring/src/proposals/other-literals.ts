import type { Syntax } from '@querygate/bigquery-sql/syntax';
import { type Around, comparedWith, idName, isRequired, listedValues, pluralOf } from './comparisons.ts';
import type { Choice } from './literal-proposal.ts';
import { snakeCase } from './snake-case.ts';

/** A literal that chooses rows, which only some callers would choose otherwise: the LIMIT, and what columns are compared with. */
export function otherChoice(
  node: Syntax.Node,
  around: Around,
  tables: ReadonlySet<string>,
): Choice | undefined {
  switch (node.kind) {
    case 'IntegerLiteral':
      return limitChoice(node, around) ?? comparison(node, node.text, around, tables);
    case 'FloatLiteral':
      return comparison(node, node.text, around, tables);
    case 'Unary': {
      const { operand, operator } = node;
      const isNumber = operand.kind === 'IntegerLiteral' || operand.kind === 'FloatLiteral';
      return isNumber && operator === '-' ? comparison(node, `-${operand.text}`, around, tables) : undefined;
    }
    case 'StringLiteral':
      return node.value === '' ? undefined : comparison(node, node.value, around, tables);
    case 'BooleanLiteral':
      return comparison(node, String(node.value), around, tables);
    case 'ExpressionList':
      return list(node, around, tables);
    default:
      return undefined;
  }
}

/** As many rows as a saved query returns at most unless its header says otherwise. */
const usualMaxRows = 1000;

/** The LIMIT of the whole query. */
function limitChoice(node: Syntax.IntegerLiteral, around: Around): Choice | undefined {
  const limit = around.at(-1);
  const isOuter = around.filter(({ kind }) => kind === 'Query').length === 1;
  if (limit?.kind !== 'Limit' || limit.count !== node || !isOuter || node.value === 0n) return undefined;
  const max = Math.max(usualMaxRows, Number(node.value));
  return {
    kind: 'limit',
    value: node.text,
    base: 'limit',
    description: 'How many rows are returned at most.',
    bounds: { min: '1', max: String(max) },
  };
}

function list(node: Syntax.ExpressionList, around: Around, tables: ReadonlySet<string>): Choice | undefined {
  const [first] = node.items;
  const { values } = listedValues(node, around) ?? {};
  if (first === undefined || values === undefined) return undefined;
  const base = pluralOf(idName(first, [...around, node], tables));
  return {
    kind: 'value',
    value: values,
    base,
    description: undefined,
    instead: (parameter) => `UNNEST(${parameter})`,
  };
}

/** A value with which a column, or the result of a function, is compared in every row. */
function comparison(
  node: Syntax.Node,
  value: string,
  around: Around,
  tables: ReadonlySet<string>,
): Choice | undefined {
  const parent = around.at(-1);
  if (parent === undefined || !isRequired(parent, around.slice(0, -1)) || around.some(isValue))
    return undefined;
  const [compared] = comparedWith(node, around);
  const side = sideOf(node, parent);
  const name = compared && comparedName(node, compared, around, tables);
  if (name === undefined || side === undefined) return undefined;
  return { kind: 'value', value, base: `${side}${name}`, description: undefined };
}

/** A subquery for a value: its conditions choose no rows of the result. */
const isValue = ({ kind }: Syntax.Node): boolean => kind === 'ScalarSubquery' || kind === 'ArraySubquery';

function comparedName(
  node: Syntax.Node,
  compared: Syntax.Expression,
  around: Around,
  tables: ReadonlySet<string>,
): string | undefined {
  if (compared.kind === 'Path') return idName(node, around, tables);
  return compared.kind === 'FunctionCall'
    ? snakeCase(compared.name.parts.at(-1)?.name ?? '') || 'value'
    : undefined;
}

/** The prefix of a bound's name, empty for `=`; undefined for other comparisons. */
function sideOf(node: Syntax.Node, parent: Syntax.Node): '' | 'min_' | 'max_' | undefined {
  if (parent.kind === 'Between') return parent.negated ? undefined : node === parent.low ? 'min_' : 'max_';
  if (parent.kind !== 'Comparison' || parent.operator === '!=') return undefined;
  if (parent.operator === '=') return '';
  return parent.operator.startsWith(node === parent.right ? '>' : '<') ? 'min_' : 'max_';
}
