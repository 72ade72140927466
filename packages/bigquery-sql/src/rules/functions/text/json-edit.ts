import { boolLiteral, caseWhen, isNull, not } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isScalar, scalar } from '../../../types.ts';
import { convert } from '../../coercion.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { SpecialFunction } from '../special-function.ts';
import { asJsonValue } from './to-json.ts';

/** JSON_SET(json, path, value, … [, create_if_missing]): one edit after the other. */
export const jsonSet: SpecialFunction = (place, args) => {
  const { json, pairs, last } = pairsOf(place, 'JSON_SET', args);
  return pairs.reduce(
    (edited, [path, value]) =>
      callMacro(place, 'json_set', [edited, path, asJsonValue(place, value), last], 'JSON_SET'),
    json,
  );
};

/** JSON_ARRAY_APPEND and JSON_ARRAY_INSERT; an SQL array gives each of its elements, unless the last argument is false. */
export const jsonArrayEdit =
  (macro: string): SpecialFunction =>
  (place, args) => {
    const shown = macro.toUpperCase();
    const { json, pairs, last } = pairsOf(place, shown, args);
    if (last.kind !== 'literal') throw new Unsupported(place, `the option of ${shown} must be TRUE or FALSE`);
    return pairs.reduce((edited, [path, value]) => {
      const isEach = last.value === true && value.type.kind === 'array';
      // A NULL array has no elements, not even NULL: with NULL for the option nothing is added.
      const each = isEach ? caseWhen(not(isNull(value)), last) : boolLiteral(false);
      const option = last.value === null ? last : each;
      return callMacro(place, macro, [edited, path, asJsonValue(place, value), option], shown);
    }, json);
  };

/** JSON_REMOVE(json, path, …). */
export const jsonRemove: SpecialFunction = (place, [json, ...paths]) => {
  if (!json || paths.length === 0) throw new Unsupported(place, 'JSON_REMOVE takes a JSON value and paths');
  return paths.reduce((edited, path) => callMacro(place, 'json_remove', [edited, path]), json);
};

function pairsOf(place: Place, shown: string, args: readonly Expression[]) {
  const [given, ...rest] = args.slice(0, -1);
  const last = args.at(-1);
  const json = given?.type.kind === 'null' ? convert(given, scalar('JSON')) : given;
  if (!json || !last || rest.length === 0 || rest.length % 2 === 1 || !isScalar(json.type, 'JSON'))
    throw new Unsupported(place, `${shown} takes a JSON value and pairs of a path and a value`);
  const pairs = rest.flatMap((path, at): (readonly [Expression, Expression])[] => {
    const value = rest[at + 1];
    return at % 2 === 0 && value ? [[path, value]] : [];
  });
  return { json, pairs, last };
}
