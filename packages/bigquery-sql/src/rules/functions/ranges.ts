import { boolLiteral, call } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, rangeOf, scalar, type Type, unknown } from '../../types.ts';
import { convert, distance, supertype } from '../coercion.ts';
import { callMacro } from '../macro-call.ts';
import { rangeMacro } from '../ranges.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import type { SpecialFunction } from './special-function.ts';

const bool = scalar('BOOL');

const refuse = (place: Place, name: string, args: readonly Expression[]): never => {
  throw new Unsupported(
    place,
    `${name} does not take (${args.map(({ type }) => describeType(type)).join(', ')})`,
  );
};

/** RANGE(start, end); NULL means unbounded. */
const range: SpecialFunction = (place, args) => {
  const type = args.length === 2 ? supertype(args) : undefined;
  if (!type || !isScalar(type, 'DATE', 'DATETIME', 'TIMESTAMP')) return refuse(place, 'RANGE', args);
  const isOther = (arg: Expression) =>
    arg.type.kind === 'scalar' && describeType(arg.type) !== describeType(type);
  if (args.some(isOther)) return refuse(place, 'RANGE', args);
  const bounds = args.map((arg) => convert(arg, type));
  return { ...callMacro(place, 'range', bounds), type: rangeOf(type) };
};

/** A function of one range. */
const ofRange =
  (name: string, result: (element: Type) => Type): SpecialFunction =>
  (place, args) => {
    const [value, another] = args;
    if (!value || another || (value.type.kind !== 'range' && value.type.kind !== 'unknown'))
      return refuse(place, name.toUpperCase(), args);
    const element = value.type.kind === 'range' ? value.type.element : unknown;
    return call(`bq.${name}`, [value], result(element));
  };

/** A function of two ranges of the same type. */
const ofTwoRanges =
  (name: string, result: (type: Type) => Type): SpecialFunction =>
  (place, args) => {
    const type = args.length === 2 ? supertype(args) : undefined;
    if (type?.kind !== 'range' || args[0]?.type.kind === 'null')
      return refuse(place, name.toUpperCase(), args);
    return call(
      `bq.${name}`,
      args.map((arg) => convert(arg, type)),
      result(type),
    );
  };

const rangeContains: SpecialFunction = (place, args, context) => {
  const [value, member] = args;
  if (value?.type.kind !== 'range' || !member || member.type.kind === 'range')
    return ofTwoRanges('range_contains', () => bool)(place, args, context);
  const { element } = value.type;
  if (args.length !== 2 || distance(member, element) === undefined)
    return refuse(place, 'RANGE_CONTAINS', args);
  return call('bq.range_contains_value', [value, convert(member, element)], bool);
};

/** GENERATE_RANGE_ARRAY(range, step [, include_last_partial_range]). */
const generateRangeArray: SpecialFunction = (place, args) => {
  const [value, step, last = boolLiteral(true), another] = args;
  const interval = scalar('INTERVAL');
  if (value?.type.kind !== 'range' || !step || another || distance(step, interval) === undefined)
    return refuse(place, 'GENERATE_RANGE_ARRAY', args);
  const macro = rangeMacro('generate_range_array', value.type.element);
  return { ...callMacro(place, macro, [value, convert(step, interval), last]), type: arrayOf(value.type) };
};

export const rangeFunctions: Readonly<Record<string, SpecialFunction>> = {
  range,
  range_start: ofRange('range_start', (element) => element),
  range_end: ofRange('range_end', (element) => element),
  range_is_start_unbounded: ofRange('range_is_start_unbounded', () => bool),
  range_is_end_unbounded: ofRange('range_is_end_unbounded', () => bool),
  range_contains: rangeContains,
  range_overlaps: ofTwoRanges('range_overlaps', () => bool),
  range_intersect: ofTwoRanges('range_intersect', (type) => type),
  generate_range_array: generateRangeArray,
};
