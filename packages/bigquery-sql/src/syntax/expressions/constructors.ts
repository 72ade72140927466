import type {
  ArrayConstructor,
  ArraySubquery,
  Expression,
  StructArgument,
  StructConstructor,
  StructType,
} from '../nodes.ts';
import type { Parser } from '../parser.ts';

/** `[…]`, `ARRAY[…]`, `ARRAY<T>[…]`, `ARRAY(SELECT …)`. */
export function parseArray(p: Parser): ArrayConstructor | ArraySubquery {
  const { start } = p;
  if (p.accept('ARRAY', '(')) {
    const query = p.query();
    p.expect(')');
    return { kind: 'ArraySubquery', start, end: p.end, query };
  }
  const type = p.at('ARRAY', '<') ? p.type() : undefined;
  if (type?.kind !== 'ArrayType') p.accept('ARRAY');
  p.expect('[', '"[", "<" or "("');
  const elements = p.at(']') ? [] : p.list(() => p.expression());
  p.expect(']', '"]" or ","');
  return {
    kind: 'ArrayConstructor',
    start,
    end: p.end,
    type: type?.kind === 'ArrayType' ? type : undefined,
    elements,
  };
}

/** `STRUCT(1 AS a)`, `STRUCT<a INT64>(1)`. */
export function parseStruct(p: Parser): StructConstructor {
  const { start } = p;
  const type = p.at('STRUCT', '<') || p.at('STRUCT', '<>') ? (p.type() as StructType) : undefined;
  if (type === undefined) p.expect('STRUCT');
  p.expect('(', '"(" or "<"');
  const fields = p.at(')') ? [] : p.list(() => parseField(p, type !== undefined));
  p.close();
  return { kind: 'StructConstructor', start, end: p.end, type, fields };
}

function parseField(p: Parser, typed: boolean): StructArgument {
  const { start } = p;
  const value: Expression = p.expression();
  if (typed && p.at('AS')) p.fail('")" or "," (the type names the fields)');
  const alias = p.accept('AS') ? p.name('a name after AS') : undefined;
  return { kind: 'StructArgument', start, end: p.end, value, alias };
}
