import { call } from '../tree/build.ts';
import type { Expression } from '../tree/nodes.ts';
import { describeType, isScalar, scalar, type Type } from '../types.ts';
import { callMacro } from './macro-call.ts';
import { type Place, Unsupported } from './unsupported.ts';

/** The macros of ranges have one name for each type of their bounds. */
export const rangeMacro = (prefix: string, element: Type): string =>
  `${prefix}_${describeType(element).toLowerCase()}`;

/** A STRING such as `[2024-01-01, UNBOUNDED)` as a range. */
export function castToRange(place: Place, value: Expression, type: Type): Expression {
  if (type.kind !== 'range' || !isScalar(value.type, 'STRING'))
    throw new Unsupported(place, `cannot cast ${describeType(value.type)} to ${describeType(type)}`);
  return { ...callMacro(place, rangeMacro('cast_range', type.element), [value]), type };
}

/** The text of a range whose bounds are of a type. */
export const rangeText = (value: Expression, element: Type): Expression =>
  call(`bq.${rangeMacro('range_text', element)}`, [value], scalar('STRING'));

/** Both bounds of a range; one that is unbounded is NULL. */
export const rangeBounds = (value: Expression, element: Type) =>
  ['start', 'end'].map((name) => ({ name, value: call(`bq.range_${name}`, [value], element) }));
