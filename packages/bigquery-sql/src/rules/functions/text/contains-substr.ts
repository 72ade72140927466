import { boolLiteral, call, literal, or, transformList } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { convert, distance } from '../../coercion.ts';
import { containsValue } from '../../expressions/comparison.ts';
import { callMacro } from '../../macro-call.ts';
import { fieldValues } from '../../struct-value.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { SpecialFunction } from '../special-function.ts';

const [string, bool] = [scalar('STRING'), scalar('BOOL')];

/** CONTAINS_SUBSTR(value, part): whether a value, or any field or element of it, contains a text in any case. */
export const containsSubstr: SpecialFunction = (place, [value, part, scope]) => {
  if (!value || !part || distance(part, string) === undefined)
    throw new Unsupported(place, 'CONTAINS_SUBSTR takes a value and a STRING');
  if (part.kind === 'literal' && part.value === null)
    throw new Unsupported(place, 'CONTAINS_SUBSTR does not search for NULL');
  if (scope) throw new Unsupported(place, 'json_scope is not supported');
  return bindValues([folded(place, convert(part, string))], (sought = part) =>
    contains(place, value, sought),
  );
};

const folded = (place: Place, text: Expression) =>
  callMacro(place, 'normalize_and_casefold_nfkc', [text], 'CONTAINS_SUBSTR');

function contains(place: Place, value: Expression, sought: Expression): Expression {
  const { type } = value;
  if (type.kind === 'array') {
    const tests = transformList(value, type.element, (item) => contains(place, item, sought), arrayOf(bool));
    return containsValue(boolLiteral(true), tests);
  }
  if (type.kind === 'struct')
    return bindValues([value], (struct = value) =>
      or(fieldValues(struct).map(({ value: part }) => contains(place, part, sought))),
    );
  if (type.kind === 'null') return literal(bool, null);
  if (isScalar(type, 'BYTES', 'JSON'))
    throw new Unsupported(place, `CONTAINS_SUBSTR does not take ${describeType(type)}`);
  const text = isScalar(type, 'STRING') ? value : callMacro(place, 'cast_string', [value], 'CONTAINS_SUBSTR');
  return call('contains', [folded(place, text), sought], bool);
}
