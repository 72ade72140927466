import type { Keyword, Node } from 'sql-parser-cst';
import { convert, distance, supertype } from '../coercion.ts';
import type { Sql } from '../scope.ts';
import { anonymousField, describeType, isScalar, quote, scalar, type Type, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

export function compare(node: Node, operator: string, left: Sql, right: Sql): Sql {
  if (!comparable(left, right)) {
    throw new Unsupported(
      node,
      `${describeType(left.type)} ${operator} ${describeType(right.type)} cannot be compared: CAST one`,
    );
  }
  if (isScalar(left.type, 'JSON') || isScalar(right.type, 'JSON'))
    throw new Unsupported(
      node,
      `JSON values cannot be compared with ${operator}: convert them to text first`,
    );
  if (left.type.kind === 'struct' && right.type.kind === 'struct')
    return compareStructs(node, operator, [left.text, left.type], [right.text, right.type]);
  if (isScalar(left.type, 'FLOAT64') || isScalar(right.type, 'FLOAT64'))
    return compareFloats(operator, left, right);
  const type = supertype([left, right]) ?? unknown;
  const text = `(${convert(left, type)} ${operator} ${convert(right, type)})`;
  return { text, type: scalar('BOOL'), ...knownOutcome(operator, left, right) };
}

/** The result of comparing two texts that are known during translation. */
function knownOutcome(operator: string, left: Sql, right: Sql): Pick<Sql, 'known'> {
  const isText = isScalar(left.type, 'STRING') && isScalar(right.type, 'STRING');
  if (operator !== '=' || !isText || left.known === undefined || right.known === undefined) return {};
  return { known: left.known === right.known };
}

type Struct = readonly [text: string, type: Extract<Type, { kind: 'struct' }>];

/** Structs are equal if all their fields are; a NULL field makes the result NULL, not false. */
function compareStructs(node: Node, operator: string, [a, left]: Struct, [b, right]: Struct): Sql {
  if (operator.startsWith('IS')) return { text: `(${a} ${operator} ${b})`, type: scalar('BOOL') };
  if (operator !== '=' && operator !== '!=' && operator !== '<>')
    throw new Unsupported(node, `structs cannot be compared with ${operator}`);
  const tests = left.fields.map(({ name, type }, index) => {
    const other = right.fields[index];
    const at = (side: string, field: string) => `(s.${side}).${quote(field || anonymousField(index))}`;
    const members = [
      { text: at('a', name), type },
      { text: at('b', other?.name ?? ''), type: other?.type ?? type },
    ] as const;
    return compare(node, '=', ...members).text;
  });
  const not = operator === '=' ? '' : 'NOT ';
  const text = `list_transform([struct_pack(a := ${a}, b := ${b})], lambda s: ${not}(${tests.join(' AND ')}))[1]`;
  return { text, type: scalar('BOOL') };
}

/**
 * In BigQuery NaN is equal to nothing and neither less nor greater than anything; in DuckDB it is the greatest number.
 */
function compareFloats(operator: string, left: Sql, right: Sql): Sql {
  const [a, b] = [left, right].map((side) => convert(side, scalar('FLOAT64')));
  const calls: Readonly<Record<string, string>> = {
    '=': `bq.op_equal(${a}, ${b})`,
    '!=': `bq.op_unequal(${a}, ${b})`,
    '<>': `bq.op_unequal(${a}, ${b})`,
    '<': `bq.op_less(${a}, ${b})`,
    '>': `bq.op_less(${b}, ${a})`,
    '<=': `bq.op_at_most(${a}, ${b})`,
    '>=': `bq.op_at_most(${b}, ${a})`,
  };
  return { text: calls[operator] ?? `(${a} ${operator} ${b})`, type: scalar('BOOL') };
}

export const comparable = (left: Sql, right: Sql): boolean =>
  distance(left, right.type) !== undefined || distance(right, left.type) !== undefined;

/** DuckDB accepts numbers and text as conditions; BigQuery accepts BOOL only. */
export function requireBool(node: Node, { type }: Sql, where: string): void {
  if (type.kind !== 'unknown' && type.kind !== 'null' && !isScalar(type, 'BOOL'))
    throw new Unsupported(node, `${where} takes BOOL, not ${describeType(type)}`);
}

/** The keywords of an operator, joined by spaces. */
export const operatorName = (operator: unknown): string =>
  typeof operator === 'string'
    ? operator
    : (Array.isArray(operator) ? operator : [operator]).map((keyword: Keyword) => keyword.name).join(' ');
