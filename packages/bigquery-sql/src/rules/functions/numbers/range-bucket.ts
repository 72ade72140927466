import { and, call, compareWith, integerLiteral, not, operation } from '../../../tree/build.ts';
import type { Case, Expression, Literal } from '../../../tree/nodes.ts';
import { isScalar, scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { convert } from '../../coercion.ts';
import { callMacro } from '../../macro-call.ts';
import type { SpecialFunction } from '../special-function.ts';

/** RANGE_BUCKET of numbers: literal bounds in ascending order are compared one by one. */
export const rangeBucket: SpecialFunction = (place, args) => {
  const [value, bounds, another] = args;
  const literals = value && bounds && !another ? ascendingLiterals(value, bounds) : undefined;
  if (!value || !literals) return callMacro(place, 'range_bucket', args);
  return bindValues([value], (bound = value) => bucketOf(bound, literals));
};

/** Beyond so many bounds, a list of them costs no more. */
const mostBounds = 50;

function ascendingLiterals(value: Expression, bounds: Expression): readonly Literal[] | undefined {
  if (bounds.kind !== 'list' || bounds.items.length === 0 || bounds.items.length > mostBounds)
    return undefined;
  const literals = bounds.items.filter((item) => isNumber(value, item));
  const isAscending = literals.every(
    (item, at) => at === 0 || Number(literals[at - 1]?.value) <= Number(item.value),
  );
  return isAscending && literals.length === bounds.items.length ? literals : undefined;
}

/** True for a literal whose value a FLOAT64 holds, in the type of the value or in one that is converted to it. */
function isNumber(value: Expression, item: Expression): item is Literal {
  if (item.kind !== 'literal' || item.value === null) return false;
  const number = Number(item.value);
  const isWhole = isScalar(item.type, 'INT64') && Number.isSafeInteger(number);
  if (isScalar(value.type, 'FLOAT64'))
    return isWhole || (isScalar(item.type, 'FLOAT64') && Number.isFinite(number));
  return isWhole && isScalar(value.type, 'INT64', 'NUMERIC');
}

/** NULL for NULL, and for NaN, which DuckDB takes for the greatest number. */
function bucketOf(value: Expression, bounds: readonly Literal[]): Case {
  const below = bounds.map((bound, at) => ({
    when: compareWith('<', value, convert(bound, value.type)),
    result: integerLiteral(at),
  }));
  const isPresent = operation('IS NOT NULL', [value]);
  const isNumber = not(call('isnan', [value], scalar('BOOL')));
  const isAbove = isScalar(value.type, 'FLOAT64') ? and([isPresent, isNumber]) : isPresent;
  const above = { when: isAbove, result: integerLiteral(bounds.length) };
  return { kind: 'case', branches: [...below, above], type: scalar('INT64') };
}
