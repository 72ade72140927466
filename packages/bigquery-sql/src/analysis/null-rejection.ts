import type { Expression, From, Operation, Select } from '../tree/nodes.ts';
import { isStrictFunction, isStrictOperator } from './strictness.ts';

/**
 * The columns, and fields of records, that are not NULL in any row that the conditions of a SELECT leave: `status` in
 * `WHERE status >= 500`, `a.id` in `FROM a JOIN b ON a.id = b.id`. As texts of `pathText`.
 */
export function rejectedNulls({ from, where }: Select): ReadonlySet<string> {
  const found = new Set<string>();
  for (const condition of [...where, ...(from ? joinConditions(from) : [])]) {
    for (const path of ofTrue(condition)) found.add(path);
  }
  return found;
}

/** The path of a column or of a field in it; undefined for another expression. */
export function pathText(value: Expression): string | undefined {
  if (value.kind === 'column') return JSON.stringify([value.from, value.name]);
  if (value.kind !== 'field') return undefined;
  const of = pathText(value.of);
  return of && `${of}.${JSON.stringify(value.name)}`;
}

/** Conditions that hold in every row. */
function joinConditions(from: From): readonly Expression[] {
  if (from.kind !== 'join') return [];
  const { join, left, right, on } = from;
  return [
    ...(join === 'INNER' && on ? [on] : []),
    ...(join === 'RIGHT' || join === 'FULL' ? [] : joinConditions(left)),
    ...(join === 'LEFT' || join === 'FULL' ? [] : joinConditions(right)),
  ];
}

/** The paths that are not NULL if a condition is true. */
function ofTrue(condition: Expression): readonly string[] {
  // Over no rows it is FALSE, even for NULL.
  if (condition.kind === 'subquery')
    return condition.form === 'in' && condition.value ? ofValue(condition.value) : [];
  if (condition.kind !== 'operation') return ofValue(condition);
  const { operator, operands } = condition;
  const [first, ...others] = operands;
  if (first === undefined) return [];
  switch (operator) {
    case 'AND':
      return operands.flatMap(ofTrue);
    case 'OR': {
      const rest = others.map((other) => new Set(ofTrue(other)));
      return ofTrue(first).filter((path) => rest.every((paths) => paths.has(path)));
    }
    case 'IS NOT NULL':
      return ofValue(first);
    case 'IS TRUE':
      return ofTrue(first);
    case 'IS FALSE':
      return ofValue(first);
    case 'IN':
    case 'NOT IN':
      return ofValue(first);
    case 'BETWEEN':
      return operands.flatMap(ofValue);
    default:
      return ofValue(condition);
  }
}

/** The paths that are not NULL if a value is not NULL. */
function ofValue(value: Expression): readonly string[] {
  switch (value.kind) {
    case 'column':
      return [pathText(value) ?? []].flat();
    case 'field': {
      const path = pathText(value);
      // A field of a record is not NULL only if the record is not.
      return path === undefined ? [] : [path, ...ofValue(value.of)];
    }
    case 'cast':
      return ofValue(value.value);
    case 'operation':
      return isStrictOperator(value) ? decisiveOperands(value).flatMap(ofValue) : [];
    case 'call':
      return isStrictFunction(value.function) ? value.args.flatMap(ofValue) : [];
    default:
      return [];
  }
}

/** Beyond one bound, BETWEEN is FALSE even if the other bound is NULL. */
const decisiveOperands = ({ operator, operands }: Operation): readonly Expression[] =>
  operator === 'BETWEEN' || operator === 'NOT BETWEEN' ? operands.slice(0, 1) : operands;
