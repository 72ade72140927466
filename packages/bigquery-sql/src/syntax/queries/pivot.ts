import { parseInteger, parseString } from '../expressions/literals.ts';
import { parsePath } from '../names.ts';
import type {
  Identifier,
  Path,
  PivotAggregate,
  PivotSpec,
  PivotValue,
  UnpivotGroup,
  UnpivotSpec,
} from '../nodes.ts';
import type { Parser } from '../parser.ts';

/** PIVOT and UNPIVOT are names elsewhere. */
export const startsPivot = (p: Parser): boolean => p.at('PIVOT', '(');

export const startsUnpivot = (p: Parser): boolean =>
  p.at('UNPIVOT', '(') || p.at('UNPIVOT', 'INCLUDE', 'NULLS') || p.at('UNPIVOT', 'EXCLUDE', 'NULLS');

/** `PIVOT(aggregates FOR input IN (values))`. */
export function parsePivotSpec(p: Parser): PivotSpec {
  const { start } = p;
  p.expect('PIVOT');
  p.expect('(');
  const aggregates = p.list(() => parseAggregate(p));
  p.expect('FOR', '"FOR" or ","');
  const input = p.operand();
  p.expect('IN');
  const values = p.parenthesizedList(() => parseValue(p));
  p.expect(')');
  return { kind: 'PivotSpec', start, end: p.end, aggregates, input, values };
}

function parseAggregate(p: Parser): PivotAggregate {
  const { start } = p;
  const expression = p.expression();
  const alias = p.alias();
  return { kind: 'PivotAggregate', start, end: p.end, expression, alias };
}

function parseValue(p: Parser): PivotValue {
  const { start } = p;
  const expression = p.expression();
  const alias = p.alias();
  return { kind: 'PivotValue', start, end: p.end, expression, alias };
}

/** `UNPIVOT [INCLUDE NULLS] (values FOR name IN (groups))`. */
export function parseUnpivotSpec(p: Parser): UnpivotSpec {
  const { start } = p;
  p.expect('UNPIVOT');
  const nulls = p.acceptOneOf(['INCLUDE', 'EXCLUDE']);
  if (nulls) p.expect('NULLS');
  p.expect('(');
  const values = nameList(p);
  p.expect('FOR');
  const name = p.name('the name of a column');
  p.expect('IN');
  const groups = p.parenthesizedList(() => parseGroup(p, values.length));
  p.expect(')');
  return { kind: 'UnpivotSpec', start, end: p.end, nulls, values, name, groups };
}

function nameList(p: Parser): readonly Identifier[] {
  const columnName = () => p.name('the name of a column');
  return p.at('(') ? p.parenthesizedList(columnName) : [columnName()];
}

function parseGroup(p: Parser, count: number): UnpivotGroup {
  const { start } = p;
  const column = () => parsePath(p, 'the name of a column');
  const columns: readonly Path[] = p.at('(') ? p.parenthesizedList(column) : [column()];
  if (columns.length !== count) {
    p.problem(start, `expected ${count} columns as before FOR, found ${columns.length}`);
  }
  const label = parseLabel(p);
  return { kind: 'UnpivotGroup', start, end: p.end, columns, label };
}

function parseLabel(p: Parser): UnpivotGroup['label'] {
  const written = p.accept('AS');
  if (p.token.kind === 'string') return parseString(p);
  if (p.token.kind === 'integer') return parseInteger(p);
  return written ? p.fail('a string or an integer after AS') : undefined;
}
