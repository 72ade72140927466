import type { FromItem, Join, JoinCondition, JoinType } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseFromPrimary } from './from-items.ts';
import { startsSetOperator } from './set-operations.ts';

/** A join of which only the right side is known yet. */
interface PendingJoin {
  readonly type: JoinType;
  readonly right: FromItem;
  /** Usually one; several close as many joins (`a JOIN b JOIN c ON x ON y`). */
  readonly conditions: readonly JoinCondition[];
  /** Where the join and its conditions end, and a further condition would be. */
  readonly end: number;
}

/** `FROM …`. */
export function parseFrom(p: Parser): FromItem {
  p.expect('FROM');
  const { start } = p;
  const first = parseFromItem(p);
  return foldJoins(p, start, first, parseJoins(p, true));
}

export const parseFromItem = (p: Parser): FromItem =>
  parseFromPrimary(p, (start, first) => {
    const joins = parseJoins(p, false);
    return joins.length === 0 ? p.fail('a join within the parentheses') : foldJoins(p, start, first, joins);
  });

function parseJoins(p: Parser, commas: boolean): readonly PendingJoin[] {
  const joins: PendingJoin[] = [];
  for (;;) {
    const type: JoinType | undefined = commas && p.accept(',') ? 'COMMA' : parseJoinWords(p);
    if (type === undefined) return joins;
    const right = p.fromItem();
    // GoogleSQL lets CROSS JOIN UNNEST(…) have a condition: it is an inner join then.
    const isFiltered = type === 'CROSS' && right.kind === 'Unnest' && (p.at('ON') || p.at('USING'));
    const first = isFiltered ? [parseJoinCondition(p)] : [];
    const conditions = [...first, ...parseConditions(p, type)];
    joins.push({ type: isFiltered ? 'INNER' : type, right, conditions, end: p.end });
  }
}

/** Joins nest to the left, unless several conditions in a row say otherwise. */
const foldJoins = (p: Parser, start: number, first: FromItem, joins: readonly PendingJoin[]): FromItem =>
  joins.some(({ conditions }) => conditions.length > 1)
    ? joinInnermostFirst(p, start, first, joins)
    : joins.reduce((left, join) => joinOf(p, start, left, join, join.conditions[0]), first);

/** Reads the words of a join, if they come next. */
export function parseJoinWords(p: Parser): Exclude<JoinType, 'COMMA'> | undefined {
  if (startsSetOperator(p)) return undefined;
  if (p.accept('JOIN')) return 'INNER';
  const type = p.acceptOneOf(['INNER', 'CROSS', 'LEFT', 'RIGHT', 'FULL']);
  if (type === undefined) return undefined;
  const mayBeOuter = type !== 'INNER' && type !== 'CROSS';
  const outer = mayBeOuter && p.accept('OUTER');
  p.expect('JOIN', mayBeOuter && !outer ? '"JOIN" or "OUTER JOIN"' : '"JOIN"');
  return type;
}

function parseConditions(p: Parser, type: JoinType): readonly JoinCondition[] {
  const conditions: JoinCondition[] = [];
  while (p.at('ON') || p.at('USING')) {
    if (type === 'CROSS' || type === 'COMMA') {
      const name = type === 'CROSS' ? 'CROSS JOIN' : 'a join by comma';
      p.problem(p.start, `expected no condition after ${name}, found "${p.token.key}"`);
    }
    conditions.push(parseJoinCondition(p));
  }
  return conditions;
}

export function parseJoinCondition(p: Parser): JoinCondition {
  const { start } = p;
  if (p.accept('ON')) {
    const condition = p.expression();
    return { kind: 'On', start, end: p.end, condition };
  }
  p.expect('USING');
  const columns = p.parenthesizedList(() => p.name('the name of a column'));
  return { kind: 'Using', start, end: p.end, columns };
}

function joinOf(
  p: Parser,
  start: number,
  left: FromItem,
  { type, right, end }: PendingJoin,
  condition: JoinCondition | undefined,
): Join {
  if (condition === undefined && needsCondition(type, right)) failCondition(p, end);
  return { kind: 'Join', start, end: condition?.end ?? end, left, type, right, condition };
}

const failCondition = (p: Parser, offset: number) =>
  p.problem(offset, 'expected "ON" or "USING" after the join, found none');

/** An array is joined with the row that holds it; whether a path is an array, only the scope decides. */
export function needsCondition(type: JoinType, right: FromItem): boolean {
  if (type === 'CROSS' || type === 'COMMA' || right.kind === 'Unnest') return false;
  return !(right.kind === 'Table' && right.path.parts.length > 1);
}

/** With several conditions in a row, each belongs to the last join before it that has none. */
function joinInnermostFirst(
  p: Parser,
  start: number,
  first: FromItem,
  joins: readonly PendingJoin[],
): FromItem {
  const open: { readonly left: FromItem; readonly start: number; readonly join: PendingJoin }[] = [];
  let current = first;
  let currentStart = start;
  for (const join of joins) {
    if (join.type === 'COMMA') {
      p.problem(
        join.right.start,
        'expected parentheses around joins with several conditions in a row, found a comma',
      );
    }
    if (join.type === 'CROSS') {
      current = joinOf(p, currentStart, current, join, undefined);
      continue;
    }
    open.push({ left: current, start: currentStart, join });
    current = join.right;
    currentStart = join.right.start;
    for (const condition of join.conditions) {
      const last = open.pop();
      if (!last) return p.problem(condition.start, 'expected a join for this condition, found none');
      const pending = { ...last.join, right: current, end: condition.end };
      current = joinOf(p, last.start, last.left, pending, condition);
      currentStart = last.start;
    }
  }
  const [unmatched] = open;
  return unmatched ? failCondition(p, unmatched.join.end) : current;
}
