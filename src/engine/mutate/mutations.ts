import { tokenize } from '../dialect/syntax/lexer/tokenize.ts';
import type { Token } from '../dialect/syntax/lexer/tokens.ts';
import type * as Syntax from '../dialect/syntax/nodes.ts';
import { parseQuery } from '../dialect/syntax/parse-query.ts';
import { walk } from '../dialect/syntax/walk.ts';

/** One small change of a query that probably makes it wrong. */
export interface Mutation {
  /** The offsets of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind:
    | 'operator'
    | 'condition'
    | 'bound'
    | 'join'
    | 'enum case'
    | 'text'
    | 'order'
    | 'aggregate'
    | 'set';
  /** As people read it: `>= → >`. */
  readonly change: string;
  readonly sql: string;
}

/** Every change that is made of a query, in the order of the text, none twice. */
export function mutationsOf(sql: string): readonly Mutation[] {
  const mutator = openMutator(sql);
  walk(parseQuery(sql), (node, around) => mutate(node, around, mutator));
  const seen = new Set([sql]);
  return mutator.mutations
    .filter((mutation) => !seen.has(mutation.sql) && seen.add(mutation.sql))
    .sort((a, b) => a.start - b.start);
}

/** Makes several changes at once; their places do not overlap. */
export const combinedSql = (sql: string, mutations: readonly Mutation[]): string =>
  mutations
    .toSorted((a, b) => b.start - a.start)
    .reduce((changed, { start, end, text }) => changed.slice(0, start) + text + changed.slice(end), sql);

interface Mutator {
  readonly mutations: Mutation[];
  readonly sql: string;
  /** The first token of the given kinds between two offsets. */
  tokenIn(from: number, to: number, ...keys: readonly string[]): Token | undefined;
  /** @param shown what people see of the change; by default the place itself */
  replace(kind: Mutation['kind'], place: Syntax.Located, text: string, shown?: Syntax.Located): void;
}

function openMutator(sql: string): Mutator {
  const tokens = tokenize(sql);
  const mutations: Mutation[] = [];
  return {
    mutations,
    sql,
    tokenIn: (from, to, ...keys) =>
      tokens.find(({ start, end, key }) => start >= from && end <= to && keys.includes(key)),
    replace(kind, { start, end }, text, shown = { start, end }) {
      const before = oneLine(sql.slice(shown.start, shown.end));
      const after = oneLine(sql.slice(shown.start, start) + text + sql.slice(end, shown.end));
      mutations.push({
        start,
        end,
        text,
        kind,
        change: `${before || '(nothing)'} → ${after || '(nothing)'}`,
        sql: sql.slice(0, start) + text + sql.slice(end),
      });
    },
  };
}

const maxShown = 80;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxShown ? `${line.slice(0, maxShown / 2)} … ${line.slice(-maxShown / 2)}` : line;
}

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

function mutate(node: Syntax.Node, around: readonly Syntax.Node[], mutator: Mutator): void {
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
    case 'Is': {
      const token = tokenIn(node.operand.end, node.end, 'IS');
      if (!token) return;
      const not = node.negated ? tokenIn(token.end, node.end, 'NOT') : undefined;
      if (not) replace('operator', { start: token.start, end: not.end }, 'IS');
      else replace('operator', token, 'IS NOT');
      return;
    }
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
    case 'IntervalLiteral': {
      // The steps of a series are made longer: a series with more steps has the others, too.
      const isStep =
        around.at(-1)?.kind === 'FunctionCall' && !/_(?:add|sub)$/i.test(calledName(around.at(-1)));
      const unit = (isStep ? unitsAbove : unitsBelow)[node.from.name.toUpperCase()];
      if (unit !== undefined && node.to === undefined) replace('bound', node.from, unit, node);
      return;
    }
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
    case 'SetOperation': {
      const [first, second] = node.inputs;
      const token = first && second && tokenIn(first.end, second.start, 'ALL', 'DISTINCT');
      if (token && node.operator === 'UNION')
        replace('set', token, node.quantifier === 'ALL' ? 'DISTINCT' : 'ALL');
      return;
    }
    default:
  }
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
