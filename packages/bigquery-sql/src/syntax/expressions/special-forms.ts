import type {
  Case,
  CaseBranch,
  Cast,
  DatePart,
  Exists,
  Expression,
  Extraction,
  WithExpression,
  WithVariable,
} from '../nodes.ts';
import type { Parser } from '../parser.ts';

export function parseCase(p: Parser): Case {
  const { start } = p;
  p.expect('CASE');
  const operand = p.at('WHEN') ? undefined : p.expression();
  const branches = [parseBranch(p)];
  while (p.at('WHEN')) branches.push(parseBranch(p));
  const otherwise = p.accept('ELSE') ? p.expression() : undefined;
  p.expect('END', otherwise ? '"END"' : '"WHEN", "ELSE" or "END"');
  return { kind: 'Case', start, end: p.end, operand, branches, otherwise };
}

function parseBranch(p: Parser): CaseBranch {
  const { start } = p;
  p.expect('WHEN');
  const when = p.expression();
  p.expect('THEN');
  // biome-ignore lint/suspicious/noThenProperty: a node is not a promise, and THEN is the word of the language.
  return { kind: 'CaseBranch', start, when, then: p.expression(), end: p.end };
}

export function parseCast(p: Parser): Cast {
  const { start, key } = p.next();
  p.expect('(');
  const operand = p.expression();
  p.expect('AS', '"AS" and a type');
  const type = p.type();
  const format = p.accept('FORMAT') ? p.expression() : undefined;
  const zone = format ? parseZone(p) : undefined;
  p.expect(')', format ? '")" or "AT TIME ZONE"' : '")" or "FORMAT"');
  return { kind: 'Cast', start, end: p.end, safe: key === 'SAFE_CAST', operand, type, format, zone };
}

export function parseExtract(p: Parser): Extraction {
  const { start } = p;
  p.expect('EXTRACT');
  p.expect('(');
  const part = parseDatePart(p);
  p.expect('FROM');
  const operand = p.expression();
  const zone = parseZone(p);
  p.expect(')', zone ? '")"' : '")" or "AT TIME ZONE"');
  return { kind: 'Extraction', start, end: p.end, part, operand, zone };
}

function parseDatePart(p: Parser): DatePart {
  const name = p.name('a part such as DAY, without quotes');
  let weekday: DatePart['weekday'];
  if (p.accept('(')) {
    weekday = p.name('a weekday such as MONDAY');
    p.expect(')');
  }
  return { kind: 'DatePart', start: name.start, end: p.end, name, weekday };
}

function parseZone(p: Parser): Expression | undefined {
  if (!p.accept('AT')) return undefined;
  if (!p.accept('TIME', 'ZONE')) p.fail('"TIME ZONE" after AT');
  return p.expression();
}

export function parseExists(p: Parser): Exists {
  const { start } = p;
  p.expect('EXISTS');
  p.expect('(');
  const query = p.query();
  p.expect(')');
  return { kind: 'Exists', start, end: p.end, query };
}

/** `WITH(a AS 1, b AS a + 1, a + b)`: the last item has no name. */
export function parseWithExpression(p: Parser): WithExpression {
  const { start } = p;
  p.expect('WITH');
  p.expect('(', '"(" of a WITH expression');
  const variables: WithVariable[] = [];
  while (p.atName() && p.peek(1).key === 'AS') {
    const name = p.anyName();
    p.expect('AS');
    const value = p.expression();
    variables.push({ kind: 'WithVariable', start: name.start, end: p.end, name, value });
    p.expect(',');
  }
  if (variables.length === 0) p.fail('a name and "AS"');
  const result = p.expression();
  p.expect(')');
  return { kind: 'WithExpression', start, end: p.end, variables, result };
}
