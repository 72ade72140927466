import type { Node } from '../syntax/nodes.ts';
import { isScalar, type Type } from '../types.ts';

/** A part of the source text; every node of the syntax tree is one. */
export interface Place {
  /** Offset of its first character, in UTF-16 code units. */
  readonly start: number;
}

/** True if a place is a node of the syntax tree. */
export const isNode = (place: Place): place is Node => 'kind' in place;

/** Why a part of a query is not supported, or wrong. */
export class Unsupported extends Error {
  readonly place: Place;
  /** The columns, or the fields, that could be named at this place, with their types. */
  readonly known: (() => Iterable<string>) | undefined;
  readonly hint: (() => string) | undefined;

  /** @param hint the end of its message, if it takes long to find */
  constructor(
    place: Place,
    message: string,
    { known, hint }: { readonly known?: () => Iterable<string>; readonly hint?: () => string } = {},
  ) {
    super(message);
    this.place = place;
    this.known = known;
    this.hint = hint;
  }
}

/** A literal argument with which a function fails in every row: SAFE. gives NULL for it. */
export class WrongLiteral extends Unsupported {}

/** The whole message of a problem that is shown. */
export const messageOf = ({ message, hint = () => '' }: Unsupported): string => message + hint();

const isArray = ({ kind }: Type): boolean => kind === 'array';
const isJson = (type: Type): boolean => isScalar(type, 'JSON');

const ofJson = ': convert the JSON value with LAX_INT64(json), LAX_STRING(json) or the like';
const ofStruct = ': compare one of its fields';

/** The end of a message about types that are not comparable: what the author may write. */
export function cureOf(types: readonly Type[]): string {
  if (types.some(isArray))
    return types.every(isArray) ? ': CAST one' : ': search an array with value IN UNNEST(array)';
  if (types.some(isJson)) return ofJson;
  if (types.some(({ kind }) => kind === 'struct') && !types.every(({ kind }) => kind === 'struct'))
    return ofStruct;
  return ': CAST one';
}

const moments = { TIMESTAMP: 'TIMESTAMP', DATETIME: 'DATETIME', TIME: 'TIME', DATE: 'DATE' } as const;

/** As `cureOf`, for an arithmetic operator. */
export function operatorCure(operator: string, types: readonly Type[]): string {
  if (types.some(isArray)) return ': take one element of the array, or UNNEST it';
  if (types.some(isJson)) return ofJson;
  if (operator === '&' && types.every((type) => isScalar(type, 'STRING'))) return ': texts are joined by ||';
  const moment = Object.values(moments).find((name) => types.some((type) => isScalar(type, name)));
  if (moment !== undefined && (operator === '+' || operator === '-'))
    return `: write ${moment}_${operator === '+' ? 'ADD' : 'SUB'}(value, INTERVAL n ${moment === 'TIME' ? 'HOUR' : 'DAY'})`;
  return ': CAST one';
}

/** As `cureOf`, for LIKE. */
export function likeCure(types: readonly Type[]): string {
  if (types.some(isArray))
    return ': write EXISTS (SELECT 1 FROM UNNEST(array) AS item WHERE item LIKE pattern)';
  return types.some(isJson)
    ? ': convert the JSON value with JSON_VALUE(json) or LAX_STRING(json)'
    : ': CAST one';
}
