import { foldName } from '@querygate/text';
import type { ColumnMatch, Identifier, Query, Select, SetOperation, SetOperator } from '../nodes.ts';
import type { Parser } from '../parser.ts';

const operators = ['UNION', 'INTERSECT', 'EXCEPT'] as const;
const operatorKeys: ReadonlySet<string> = new Set(operators);

/** A chain of equal set operators is one node; its first part has been read. */
export function parseSetOperations(
  p: Parser,
  start: number,
  first: Select | Query,
  part: (p: Parser) => Select | Query,
): Select | Query | SetOperation {
  if (!startsSetOperator(p)) return first;
  const operator = parseSetOperator(p);
  const inputs = [first, part(p)];
  while (startsSetOperator(p)) {
    const { start: offset } = p;
    if (!isSameOperator(operator, parseSetOperator(p))) {
      p.problem(offset, 'expected the same set operator as before, or parentheses, found another one');
    }
    inputs.push(part(p));
  }
  return { kind: 'SetOperation', start, end: p.end, ...operator, inputs };
}

/** True if UNION and the like come next, perhaps with FULL, LEFT or INNER before it. */
export function startsSetOperator(p: Parser): boolean {
  const prefix = p.at('FULL') || p.at('LEFT') || p.at('INNER') ? 1 : 0;
  const outer = prefix === 1 && p.peek(1).key === 'OUTER' ? 1 : 0;
  return p.atOneOf(operatorKeys, prefix + outer);
}

/** `[FULL [OUTER]] UNION {ALL | DISTINCT} [STRICT] [BY NAME [ON (…)] | CORRESPONDING [BY (…)]]`. */
export function parseSetOperator(p: Parser): SetOperator {
  const { start } = p;
  const mode = p.acceptOneOf(['FULL', 'LEFT', 'INNER']);
  if (mode === 'FULL' || mode === 'LEFT') p.accept('OUTER');
  const operator = p.expectOneOf(operators);
  const quantifier = p.expectOneOf(['ALL', 'DISTINCT']);
  return { operator, quantifier, match: parseColumnMatch(p, start, mode) };
}

function parseColumnMatch(
  p: Parser,
  start: number,
  prefix: 'FULL' | 'LEFT' | 'INNER' | undefined,
): ColumnMatch | undefined {
  const strict = prefix === undefined && p.accept('STRICT');
  const spelling = !strict && p.accept('BY', 'NAME') ? 'BY NAME' : p.acceptOneOf(['CORRESPONDING']);
  if (spelling === undefined) {
    if (strict) p.fail('"CORRESPONDING" after STRICT');
    return prefix ? p.fail('"BY NAME" or "CORRESPONDING"') : undefined;
  }
  const listed = p.accept(spelling === 'BY NAME' ? 'ON' : 'BY');
  const columns: readonly Identifier[] = listed ? p.parenthesizedList(() => p.name()) : [];
  return {
    kind: 'ColumnMatch',
    start,
    end: p.end,
    spelling,
    mode: strict ? 'STRICT' : prefix,
    columns,
  };
}

const isSameOperator = (a: SetOperator, b: SetOperator): boolean =>
  a.operator === b.operator && a.quantifier === b.quantifier && matchText(a.match) === matchText(b.match);

const matchText = (match: ColumnMatch | undefined): string =>
  match === undefined
    ? ''
    : [match.spelling, match.mode, ...match.columns.map(({ name }) => foldName(name))].join(' ');
