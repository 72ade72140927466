import { caseWhen, compareWith, integerLiteral, nullLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isScalar, type Type } from '../../../types.ts';
import { convert, distance, supertype } from '../../coercion.ts';
import { dependsOnRows, isConstant } from '../../expressions/constant-values.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import { type Aggregate, fail, int64, plain, typeOfFirst } from './aggregate.ts';

export const numbering = (name: string, more: Partial<Aggregate> = {}): Aggregate =>
  plain(name, () => int64, { arity: [0, 0], window: true, noFrame: true, allows: [], ...more });

export const ranking = (name: string, result: Type = int64): Aggregate =>
  numbering(name, {
    result: () => result,
    windowOrder: 'required',
    build: (rows) => rows.main(name, [], result),
  });

export const navigation = (name: string, more: Partial<Aggregate> = {}): Aggregate =>
  plain(name, typeOfFirst, { window: true, windowOrder: 'required', allows: ['nulls'], ...more });

/** FIRST_VALUE and LAST_VALUE. */
export const outermostValue = (name: string): Aggregate =>
  navigation(name, {
    build(rows, args, place) {
      const [value = nullLiteral()] = args;
      if (value.kind === 'literal' && value.value === null && value.type.kind !== 'unknown')
        throw new Unsupported(place, `${name.toUpperCase()} does not take NULL`);
      return rows.main(name, args, value.type);
    },
  });

/** LAG and LEAD. */
export const shifted = (name: string): Aggregate =>
  navigation(name, {
    arity: [1, 3],
    noFrame: true,
    allows: [],
    unify: (args) => {
      const [value, offset, otherwise] = args;
      if (!value || !offset || !otherwise) return args;
      const type = otherwise.type.kind === 'null' ? value.type : supertype([value, otherwise]);
      return type ? [convert(value, type), offset, convert(otherwise, type)] : args;
    },
    build(rows, args, place) {
      const [value = nullLiteral(), offset, otherwise] = args;
      const count = offset && requireCount(place, name, offset, 0n);
      if (otherwise && dependsOnRows(otherwise))
        throw new Unsupported(place, `the default of ${name.toUpperCase()} must be a constant`);
      const isNull = otherwise?.kind === 'literal' && otherwise.value === null;
      if (otherwise && !isNull && distance(otherwise, value.type) === undefined)
        throw new Unsupported(place, `the default of ${name.toUpperCase()} must have the type of its value`);
      const converted = otherwise ? [convert(otherwise, value.type)] : [];
      return rows.main(name, [value, ...(count ? [count] : []), ...converted], value.type);
    },
  });

/**
 * A count that fails where it runs if it is NULL or less than allowed.
 *
 * @throws Unsupported if that is known of it
 */
export function requireCount(place: Place, name: string, count: Expression, least: bigint): Expression {
  const shown = name.toUpperCase();
  if (!isScalar(count.type, 'INT64') && count.type.kind !== 'null')
    throw new Unsupported(place, `the number in ${shown} must be INT64`);
  if (!isConstant(count))
    throw new Unsupported(place, `the number in ${shown} must be a literal or a parameter`);
  const problem = `the number in ${shown} must be at least ${least}`;
  if (count.kind !== 'literal')
    return caseWhen(compareWith('>=', count, integerLiteral(least)), count, fail(problem, int64));
  if (count.value === null || BigInt(count.value) < least) throw new Unsupported(place, problem);
  return count;
}
