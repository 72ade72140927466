import type { ComparisonOperator } from '../../syntax/nodes.ts';
import { and, call, compareWith, not } from '../../tree/build.ts';
import type { Expression, InfixOperator } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar, unknown } from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { convert, supertype } from '../coercion.ts';
import { isCollated, refuseCollations, sortKeyOf } from '../collation.ts';
import { withLongArgumentsFirst } from '../macro-call.ts';
import { requireComparable } from '../moment-text.ts';
import { fieldValues } from '../struct-value.ts';
import { cureOf, type Place, Unsupported } from '../unsupported.ts';

export type ComparisonName = ComparisonOperator | 'IS DISTINCT FROM' | 'IS NOT DISTINCT FROM';

/**
 * Compares two values as BigQuery does.
 *
 * @throws Unsupported if they have no common type, or if the type has no such comparison
 */
export function compare(
  place: Place,
  operator: ComparisonName,
  left: Expression,
  right: Expression,
): Expression {
  const types = [left.type, right.type];
  if (!comparable(left, right))
    throw new Unsupported(
      place,
      `${describeType(left.type)} ${operator} ${describeType(right.type)} cannot be compared${cureOf(types)}`,
    );
  const compound = types.find(
    ({ kind }) => kind === 'array' || (kind === 'struct' && operator.startsWith('IS')),
  );
  if (compound)
    throw new Unsupported(
      place,
      `${describeType(compound)} cannot be compared with ${operator}: compare TO_JSON_STRING(value)`,
    );
  if (types.some((type) => isScalar(type, 'JSON')))
    throw new Unsupported(
      place,
      `JSON values cannot be compared with ${operator}: convert them to text first`,
    );
  if (types.some(isCollated)) return compareWith(duckdbOperator(operator), sortKeyOf(left), sortKeyOf(right));
  if (operator.startsWith('IS')) refuseCollations(place, operator, [left, right]);
  if (left.type.kind === 'struct' && right.type.kind === 'struct')
    return compareStructs(place, operator, left, right);
  const type = supertype([left, right]) ?? unknown;
  // A literal beside NUMERIC is compared by its digits.
  if (types.some((one) => isScalar(one, 'FLOAT64')) && !isScalar(type, 'NUMERIC', 'BIGNUMERIC'))
    return compareFloats(operator, left, right);
  for (const side of [left, right]) requireComparable(place, side, type);
  return compareWith(duckdbOperator(operator), convert(left, type), convert(right, type));
}

const duckdbOperator = (operator: ComparisonName): InfixOperator => (operator === '!=' ? '<>' : operator);

/**
 * Structs are compared by position: they are equal if all fields are, different if one differs, and otherwise NULL.
 */
function compareStructs(
  place: Place,
  operator: ComparisonName,
  left: Expression,
  right: Expression,
): Expression {
  if (operator !== '=' && operator !== '!=')
    throw new Unsupported(place, `structs cannot be compared with ${operator}`);
  const equal = bindValues([left, right], (a = left, b = right) => {
    const others = fieldsInOrder(b);
    return and(fieldsInOrder(a).map((value, index) => compare(place, '=', value, others[index] ?? value)));
  });
  return operator === '=' ? equal : not(equal);
}

/** The fields of a struct, by position; of a constructor its values. */
function fieldsInOrder(of: Expression): readonly Expression[] {
  return (of.kind === 'struct' ? of.fields : fieldValues(of)).map(({ value }) => value);
}

/** Tests if a list contains a value: NULL if it does not, but contains NULL. False for an empty or a NULL list. */
export const containsValue = (value: Expression, list: Expression): Expression =>
  withLongArgumentsFirst(call('bq.op_in', [value, list], scalar('BOOL')));

/**
 * In BigQuery NaN is equal to nothing and neither less nor greater than anything; in DuckDB it is the greatest number.
 */
function compareFloats(operator: ComparisonName, left: Expression, right: Expression): Expression {
  const float64 = scalar('FLOAT64');
  const [a, b] = [convert(left, float64), convert(right, float64)];
  const test = (macro: string, ...args: readonly Expression[]) => call(`bq.${macro}`, args, scalar('BOOL'));
  switch (operator) {
    case '=':
      return test('op_equal', a, b);
    case '!=':
      return test('op_unequal', a, b);
    case '<':
      return test('op_less', a, b);
    case '>':
      return test('op_less', b, a);
    case '<=':
      return test('op_at_most', a, b);
    case '>=':
      return test('op_at_most', b, a);
    default:
      return compareWith(operator, a, b);
  }
}

/** True if two values have a common type. */
export const comparable = (left: Expression, right: Expression): boolean =>
  supertype([left, right]) !== undefined;

/** DuckDB accepts numbers and text as conditions; BigQuery accepts BOOL only. */
export function requireBool(place: Place, { type }: Expression, where: string): void {
  if (type.kind !== 'unknown' && type.kind !== 'null' && !isScalar(type, 'BOOL'))
    throw new Unsupported(place, `${where} takes BOOL, not ${describeType(type)}`);
}
