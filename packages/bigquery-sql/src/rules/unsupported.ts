import type { Node } from '../syntax/nodes.ts';

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
