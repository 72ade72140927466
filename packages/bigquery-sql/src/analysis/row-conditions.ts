import { aliasesOf } from '../tree/aliases-of.ts';
import { forEachNode, someExpression } from '../tree/map.ts';
import type { Column, Expression, Literal, Parameter, Query } from '../tree/nodes.ts';

/** A comparison of a column with a value that every row has passed which the query uses. */
export interface RowCondition {
  readonly column: string;
  readonly operator: '=' | '<' | '<=' | '>' | '>=';
  readonly value: Literal | Parameter;
}

type Conditions = Map<string, RowCondition[]>;

/** For each item: all of them are compared with each file, and a caller's text may have thousands. */
const maxConditions = 20;

/**
 * The conditions on the rows of each item of FROM, by its alias, as far as comparisons in WHERE show them: a row that fails
 * one changes nothing in the result.
 */
export function rowConditions(query: Query): ReadonlyMap<string, readonly RowCondition[]> {
  const found: Conditions = new Map();
  // A query comes before those in its FROM, to which its conditions are passed on.
  forEachNode(query, (node) => {
    if (node.kind === 'derived') passOn(node.query, found.get(node.alias) ?? [], found);
    if (node.kind !== 'select' || !node.from) return;
    const own = new Set(aliasesOf(node.from));
    for (const { column, ...condition } of node.where.flatMap(comparisons)) {
      if (own.has(column.from)) add(found, column, condition);
    }
  });
  return found;
}

function add(found: Conditions, { from, name }: Column, condition: Omit<RowCondition, 'column'>): void {
  const known = found.get(from) ?? [];
  if (known.length < maxConditions) found.set(from, [...known, { ...condition, column: name }]);
}

/** Conditions on the rows of a query hold for those that it reads, if each of its rows is made of one, and of no others. */
function passOn(query: Query, conditions: readonly RowCondition[], found: Conditions): void {
  if (conditions.length === 0) return;
  if (query.kind === 'set' && query.operator === 'UNION ALL') {
    const [first] = query.inputs;
    if (first?.kind !== 'select') return;
    for (const input of query.inputs) {
      if (input.kind !== 'select') continue;
      const renamed = conditions.flatMap((condition) => {
        const member = input.columns[first.columns.findIndex(({ name }) => name === condition.column)];
        return member ? [{ ...condition, column: member.name }] : [];
      });
      passOn(input, renamed, found);
    }
  }
  if (query.kind !== 'select' || !query.from || combinesRows(query)) return;
  const own = new Set(aliasesOf(query.from));
  for (const condition of conditions) {
    const value = query.columns.find(({ name }) => name === condition.column)?.value;
    if (value?.kind === 'column' && own.has(value.from)) add(found, value, condition);
  }
}

const combinesRows = ({
  groupBy,
  having,
  limit,
  offset,
  qualify,
  columns,
}: Extract<Query, { kind: 'select' }>): boolean =>
  groupBy !== undefined ||
  limit !== undefined ||
  offset !== undefined ||
  having.length > 0 ||
  qualify.length > 0 ||
  columns.some(({ value }) => someExpression(value, ({ kind }) => kind === 'aggregate'));

interface Comparison extends Omit<RowCondition, 'column'> {
  readonly column: Column;
}

/** Comparisons, and what they are with their sides exchanged. */
export const mirrored = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/** True for an operator that compares two values. */
export const isComparison = (operator: string): operator is keyof typeof mirrored =>
  Object.hasOwn(mirrored, operator);

function comparisons(condition: Expression): readonly Comparison[] {
  if (condition.kind !== 'operation') return [];
  const { operator, operands } = condition;
  const [left, right, third] = operands;
  if (operator === 'AND') return operands.flatMap(comparisons);
  if (operator === 'BETWEEN' && left && right && third)
    return [...comparison(left, '>=', right), ...comparison(left, '<=', third)];
  if (!isComparison(operator) || !left || !right) return [];
  return [...comparison(left, operator, right), ...comparison(right, mirrored[operator], left)];
}

const comparison = (
  column: Expression,
  operator: RowCondition['operator'],
  value: Expression,
): readonly Comparison[] =>
  column.kind === 'column' && (value.kind === 'literal' || value.kind === 'parameter')
    ? [{ column, operator, value }]
    : [];
