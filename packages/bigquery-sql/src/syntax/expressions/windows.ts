import type { Expression, Frame, FrameBound, Identifier, NamedWindow, Window } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseOrderBy } from './ordering.ts';

/** The part after OVER: a name or a window in parentheses. */
export const parseOver = (p: Parser): Identifier | Window =>
  p.at('(') ? parseWindow(p) : p.name('"(" or the name of a window after OVER');

function parseWindow(p: Parser): Window {
  const { start } = p;
  p.expect('(');
  const base = p.atName() ? p.anyName() : undefined;
  const partitionBy = parsePartitionBy(p);
  const orderBy = parseOrderBy(p);
  const frame = parseFrame(p);
  p.expect(')', frame ? '")"' : '")", "PARTITION BY", "ORDER BY", "ROWS" or "RANGE"');
  return { kind: 'Window', start, end: p.end, base, partitionBy, orderBy, frame };
}

function parsePartitionBy(p: Parser): readonly Expression[] {
  if (!p.accept('PARTITION')) return [];
  p.expect('BY');
  return p.list(() => p.expression());
}

function parseFrame(p: Parser): Frame | undefined {
  const { start } = p;
  const unit = p.acceptOneOf(['ROWS', 'RANGE']);
  if (unit === undefined) return undefined;
  if (!p.accept('BETWEEN')) {
    const from = parseBound(p, () => p.expression());
    return { kind: 'Frame', start, end: p.end, unit, from, to: undefined };
  }
  const from = parseBound(p, () => p.operand());
  p.expect('AND', '"AND" of the frame');
  const to = parseBound(p, () => p.expression());
  return { kind: 'Frame', start, end: p.end, unit, from, to };
}

function parseBound(p: Parser, distance: () => Expression): FrameBound {
  const { start } = p;
  if (p.accept('CURRENT')) {
    p.expect('ROW');
    return { kind: 'FrameBound', start, end: p.end, direction: 'CURRENT ROW', offset: undefined };
  }
  const offset = p.accept('UNBOUNDED') ? undefined : distance();
  const direction = p.expectOneOf(['PRECEDING', 'FOLLOWING']);
  return { kind: 'FrameBound', start, end: p.end, direction, offset };
}

/** `WINDOW name AS (…), …`, if it comes next. */
export function parseWindowClause(p: Parser): readonly NamedWindow[] {
  return p.accept('WINDOW') ? p.list(() => parseNamedWindow(p)) : [];
}

function parseNamedWindow(p: Parser): NamedWindow {
  const name = p.name('the name of a window');
  p.expect('AS');
  const window = parseDefinition(p);
  return { kind: 'NamedWindow', start: name.start, end: p.end, name, window };
}

function parseDefinition(p: Parser): Window {
  const over = parseOver(p);
  if (over.kind === 'Window') return over;
  const { start, end } = over;
  return { kind: 'Window', start, end, base: over, partitionBy: [], orderBy: [], frame: undefined };
}
