import { call, castTo } from '../tree/build.ts';
import type { Expression } from '../tree/nodes.ts';
import { describeType, isScalar, scalar, type Type, withoutCollation } from '../types.ts';
import type { SpecialFunction } from './functions/special-function.ts';
import { type Place, Unsupported } from './unsupported.ts';

const collationMacro = 'bq.collation_key';

const collatedName = "STRING COLLATE 'und:ci'";

const collated = scalar(collatedName);

/** COLLATE(text, 'und:ci'), and COLLATE(text, '') for the binary order. */
export const collate: SpecialFunction = (place, [text, specification, another]) => {
  if (!text || !specification || another)
    throw new Unsupported(place, 'COLLATE takes a text and a collation');
  const isText = text.type.kind === 'null' || isScalar(withoutCollation(text.type), 'STRING');
  if (!isText && text.type.kind !== 'unknown')
    throw new Unsupported(place, `COLLATE does not take ${describeType(text.type)}`);
  const name = specification.kind === 'literal' ? specification.value : undefined;
  if (name !== '' && name !== 'und:ci')
    throw new Unsupported(
      place,
      "a collation is the literal 'und:ci', or '' for none; others are not supported",
    );
  return castTo(text, name === '' ? withoutCollation(collated) : collated);
};

export const isCollated = (type: Type): boolean => isScalar(type, collatedName);

/** The value compared instead of a text with a collation: ICU's sort key by letters and accents, without case. */
export const sortKeyOf = (text: Expression): Expression => call(collationMacro, [text], scalar('STRING'));

/** The same, and other values as they are. */
export const collationKey = (value: Expression): Expression =>
  isCollated(value.type) ? sortKeyOf(value) : value;

/** The text of a key that `sortKeyOf` has made. */
export const textOfKey = (key: Expression): Expression | undefined =>
  key.kind === 'call' && key.function === collationMacro ? key.args[0] : undefined;

/** Builds a function's result over texts, and gives it their collation. */
export function passCollation(
  values: readonly Expression[],
  build: (values: readonly Expression[]) => Expression,
): Expression {
  if (!values.some(({ type }) => isCollated(type))) return build(values);
  const built = build(
    values.map((value) => (isCollated(value.type) ? castTo(value, scalar('STRING')) : value)),
  );
  return isScalar(built.type, 'STRING') ? castTo(built, collated) : built;
}

/** True if a type, or a part of it, has a collation. */
const hasCollation = (type: Type): boolean => describeType(type) !== describeType(withoutCollation(type));

/**
 * Refuses values with a collation where a construct would have to compare them by it, or give it to its result.
 *
 * @param shown the construct, for messages
 */
export function refuseCollations(
  place: Place,
  shown: string,
  values: readonly { readonly type: Type }[],
): void {
  const found = values.find(({ type }) => hasCollation(type));
  if (found)
    throw new Unsupported(
      place,
      `${shown} of ${describeType(found.type)} is not supported: COLLATE(text, '') removes a collation`,
    );
}
