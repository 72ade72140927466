import { parseInteger, parseString } from './expressions/literals.ts';
import { isReserved } from './lexer/keywords.ts';
import { parsePath } from './names.ts';
import type { NamedType, Path, StringLiteral, StructTypeField, Type } from './nodes.ts';
import type { Parser } from './parser.ts';

export function parseType(p: Parser): Type {
  const { start } = p;
  const word = p.acceptOneOf(['ARRAY', 'STRUCT', 'RANGE']);
  if (word === undefined) return parseNamedType(p);
  if (word === 'STRUCT' && p.accept('<>')) return { kind: 'StructType', start, end: p.end, fields: [] };
  p.expect('<', `"<" after ${word}`);
  if (word === 'STRUCT') {
    const fields = p.at('>') ? [] : p.list(() => parseField(p));
    p.expect('>', '">" or ","');
    return { kind: 'StructType', start, end: p.end, fields };
  }
  const element = p.type();
  p.expect('>');
  return { kind: word === 'ARRAY' ? 'ArrayType' : 'RangeType', start, end: p.end, element };
}

function parseNamedType(p: Parser): NamedType {
  const { start } = p;
  const name = p.at('INTERVAL') ? intervalPath(p) : parsePath(p, 'a type');
  const parameters = p.at('(') ? p.parenthesizedList(() => parseInteger(p)) : [];
  const collation: StringLiteral | undefined = p.accept('COLLATE') ? parseString(p) : undefined;
  return { kind: 'NamedType', start, end: p.end, name, parameters, collation };
}

/** The only type whose name is a reserved word. */
function intervalPath(p: Parser): Path {
  const name = p.anyName();
  return { kind: 'Path', start: name.start, end: name.end, parts: [name] };
}

function parseField(p: Parser): StructTypeField {
  const { start } = p;
  const name = p.atName() && startsType(p) ? p.anyName() : undefined;
  const type = p.type();
  return { kind: 'StructTypeField', start, end: p.end, name, type };
}

const reservedTypes: ReadonlySet<string> = new Set(['ARRAY', 'STRUCT', 'RANGE', 'INTERVAL']);

/** True if the token after a name starts a type, so that the name is that of a field. */
function startsType(p: Parser): boolean {
  const { kind, key } = p.peek(1);
  return kind === 'quoted name' || (kind === 'word' && (!isReserved(key) || reservedTypes.has(key)));
}
