import type { Syntax } from '@querygate/bigquery-sql/syntax';
import type { Mutator } from './mutator.ts';

const comparisons: Readonly<Record<Syntax.ComparisonOperator, string>> = {
  '=': '!=',
  '!=': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

const arithmetic: Readonly<Partial<Record<Syntax.BinaryOperator, string>>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};

/** Makes the changes of one node. */
export function mutateNode(node: Syntax.Node, around: readonly Syntax.Node[], mutator: Mutator): void {
  const { replace, tokenIn } = mutator;
  switch (node.kind) {
    case 'Comparison': {
      const token = tokenIn(node.left.end, node.right.start, '=', '!=', '<>', '<', '<=', '>', '>=');
      if (token) replace('operator', token, comparisons[node.operator]);
      return;
    }
    case 'Binary': {
      const other = arithmetic[node.operator];
      const token = tokenIn(node.left.end, node.right.start, node.operator);
      if (token && other !== undefined) replace('operator', token, other);
      return;
    }
    case 'Logical':
      mutateLogical(node, mutator);
      return;
    case 'Not': {
      const token = tokenIn(node.start, node.operand.start, 'NOT');
      if (token) replace('operator', token, '');
      return;
    }
    case 'Is':
      mutateIs(node, mutator);
      return;
    case 'In':
    case 'Between':
    case 'Like':
      mutateNegation(node, mutator);
      return;
    case 'Exists': {
      if (around.at(-1)?.kind !== 'Not') replace('operator', { start: node.start, end: node.start }, 'NOT ');
      return;
    }
    case 'Join':
      mutateJoin(node, mutator);
      return;
    case 'BooleanLiteral':
      replace('condition', node, node.value ? 'false' : 'true');
      return;
    case 'IntegerLiteral':
      mutateInteger(node, around, mutator);
      return;
    case 'StringLiteral':
      mutateText(node, around, mutator);
      return;
    case 'IntervalLiteral':
      mutateInterval(node, around, mutator);
      return;
    case 'FunctionCall':
      mutateCall(node, mutator);
      return;
    case 'Query':
      mutateOrder(node.orderBy, mutator);
      return;
    case 'Select': {
      const token = node.distinct ? tokenIn(node.start, node.end, 'DISTINCT') : undefined;
      if (token) replace('set', token, '');
      return;
    }
    case 'SetOperation':
      mutateUnion(node, mutator);
      return;
    default:
  }
}

function mutateIs(node: Syntax.Is, { replace, tokenIn }: Mutator): void {
  const token = tokenIn(node.operand.end, node.end, 'IS');
  if (!token) return;
  const not = node.negated ? tokenIn(token.end, node.end, 'NOT') : undefined;
  if (not) replace('operator', { start: token.start, end: not.end }, 'IS');
  else replace('operator', token, 'IS NOT');
}

/** AND becomes OR, and each condition that is joined by AND is left out. */
function mutateLogical(node: Syntax.Logical, { replace, tokenIn }: Mutator): void {
  for (const [at, operand] of node.operands.entries()) {
    const next = node.operands[at + 1];
    const token = next && tokenIn(operand.end, next.start, node.operator);
    if (token) replace('operator', token, node.operator === 'AND' ? 'or' : 'and');
    if (node.operator === 'AND') replace('condition', operand, 'true');
  }
}

function mutateNegation(node: Syntax.In | Syntax.Between | Syntax.Like, { replace, tokenIn }: Mutator): void {
  const keyword = tokenIn(node.operand.end, node.end, 'IN', 'BETWEEN', 'LIKE');
  if (!keyword) return;
  const not = node.negated ? tokenIn(node.operand.end, keyword.start, 'NOT') : undefined;
  if (not) replace('operator', not, '');
  else replace('operator', { start: keyword.start, end: keyword.start }, 'NOT ');
}

/** An inner join becomes an outer one, and the other way round. */
function mutateJoin({ type, left, right, condition }: Syntax.Join, { sql, replace, tokenIn }: Mutator): void {
  const join = tokenIn(left.end, right.start, 'JOIN');
  if (!join) return;
  const first = tokenIn(left.end, join.end, 'LEFT', 'RIGHT', 'FULL', 'INNER', 'CROSS') ?? join;
  const keywords = { start: first.start, end: join.end };
  if (type === 'CROSS') {
    const item = sql.slice(join.end, right.end);
    const end = right.end;
    replace('join', { start: keywords.start, end }, `left join${item} on true`);
  } else if (type === 'INNER') {
    if (condition) replace('join', keywords, 'left join');
  } else {
    replace('join', keywords, 'inner join');
  }
}

/** Bounds, amounts of intervals, positions: one more, and one less. */
function mutateInteger(
  node: Syntax.IntegerLiteral,
  around: readonly Syntax.Node[],
  { replace }: Mutator,
): void {
  if (around.some(({ kind }) => kind === 'NamedType')) return;
  // GROUP BY 1 and ORDER BY 1 name columns.
  const parent = around.at(-1)?.kind;
  if (parent === 'GroupingExpression' || parent === 'OrderByItem') return;
  const [interval] = around.slice(-1).filter(({ kind }) => kind === 'IntervalLiteral');
  replace('bound', node, String(node.value + 1n), interval);
  if (node.value > 0n) replace('bound', node, String(node.value - 1n), interval);
}

const textFunctions = /^(?:regexp_|starts_with|ends_with|strpos|instr|contains_substr)/i;

/** Texts with which values are compared; in CASE, the case then never holds. */
function mutateText(node: Syntax.StringLiteral, around: readonly Syntax.Node[], { replace }: Mutator): void {
  const parent = around.at(-1);
  const isCompared =
    parent?.kind === 'Comparison' ||
    parent?.kind === 'Like' ||
    (parent?.kind === 'CaseBranch' && parent.when === node) ||
    (parent?.kind === 'ExpressionList' && around.at(-2)?.kind === 'In') ||
    (parent?.kind === 'FunctionCall' && textFunctions.test(calledName(parent)));
  if (!isCompared) return;
  const text = `${node.value}_`.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n');
  replace(parent.kind === 'CaseBranch' ? 'enum case' : 'text', node, `'${text}'`);
}

const calledName = (node: Syntax.Node | undefined): string =>
  node?.kind === 'FunctionCall' ? (node.name.parts.at(-1)?.name ?? '') : '';

const unitsBelow: Readonly<Record<string, string>> = {
  MILLISECOND: 'microsecond',
  SECOND: 'millisecond',
  MINUTE: 'second',
  HOUR: 'minute',
  DAY: 'hour',
  WEEK: 'day',
  MONTH: 'day',
  QUARTER: 'month',
  YEAR: 'month',
};

const unitsAbove: Readonly<Record<string, string>> = {
  MICROSECOND: 'millisecond',
  MILLISECOND: 'second',
  SECOND: 'minute',
  MINUTE: 'hour',
  HOUR: 'day',
  DAY: 'week',
  WEEK: 'month',
  MONTH: 'year',
};

/** The steps of a series are made longer: a series with more steps has the others, too. */
function mutateInterval(
  node: Syntax.IntervalLiteral,
  around: readonly Syntax.Node[],
  { replace }: Mutator,
): void {
  const caller = around.at(-1);
  const isStep = caller?.kind === 'FunctionCall' && !/_(?:add|sub)$/i.test(calledName(caller));
  const unit = (isStep ? unitsAbove : unitsBelow)[node.from.name.toUpperCase()];
  if (unit !== undefined && node.to === undefined) replace('bound', node.from, unit, node);
}

const otherAggregates: Readonly<Record<string, string>> = {
  MIN: 'max',
  MAX: 'min',
  AVG: 'max',
  SUM: 'max',
  LOGICAL_AND: 'logical_or',
  LOGICAL_OR: 'logical_and',
};

function mutateCall(node: Syntax.FunctionCall, mutator: Mutator): void {
  const { replace, sql, tokenIn } = mutator;
  const [name, another] = node.name.parts;
  if (another !== undefined) return;
  const upper = name.name.toUpperCase();
  const other = otherAggregates[upper];
  const [only, second] = node.args;
  if (other !== undefined && second === undefined) replace('aggregate', name, other);
  if (upper === 'COUNTIF' && only) replace('aggregate', only, `not (${sql.slice(only.start, only.end)})`);
  if (upper === 'COUNT' && only && only.kind !== 'StarArgument' && !node.distinct)
    replace('aggregate', only, '*');
  const distinct = node.distinct ? tokenIn(name.end, node.end, 'DISTINCT') : undefined;
  if (distinct) replace('aggregate', distinct, '');
  const unit = /_TRUNC$/.test(upper) && second?.kind === 'Path' ? second.parts[0] : undefined;
  const finer = unit && unitsBelow[unit.name.toUpperCase()];
  if (unit && finer !== undefined) replace('bound', unit, finer, node);
  mutateOrder(node.orderBy, mutator);
}

/** The other direction, and each key left out. */
function mutateOrder(items: readonly Syntax.OrderByItem[], { replace, sql, tokenIn }: Mutator): void {
  for (const [at, item] of items.entries()) {
    const { expression, order } = item;
    const direction =
      order.direction === undefined ? undefined : tokenIn(expression.end, item.end, order.direction);
    if (direction) replace('order', direction, order.direction === 'DESC' ? 'asc' : 'desc');
    else replace('order', { start: expression.end, end: expression.end }, ' desc');
    const other = items[at === 0 ? 1 : at - 1];
    // The order by a key that comes already is no order.
    if (other) replace('order', item, sql.slice(other.start, other.end));
  }
}

function mutateUnion({ operator, quantifier, inputs }: Syntax.SetOperation, mutator: Mutator): void {
  const [first, second] = inputs;
  const token = first && second && mutator.tokenIn(first.end, second.start, 'ALL', 'DISTINCT');
  if (token && operator === 'UNION') mutator.replace('set', token, quantifier === 'ALL' ? 'DISTINCT' : 'ALL');
}
