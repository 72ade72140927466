import type { Expression } from '../../../tree/nodes.ts';
import type { Type } from '../../../types.ts';
import { type Place, Unsupported } from '../../unsupported.ts';

export function castWithFormat(
  place: Place,
  _value: Expression,
  _type: Type,
  _format: Expression,
  _zone: Expression | undefined,
): Expression {
  throw new Unsupported(place, 'CAST … FORMAT is not supported');
}
