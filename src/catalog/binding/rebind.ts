import { unlessRefused } from '../../errors.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import { type BoundQuery, bind } from './bind.ts';
import { textsOf } from './list-values.ts';
import { forUser, userOf } from './session-user.ts';

/** Another version of a bound query, with the values of the parameters that both declare; undefined if they are not valid for it. */
export function rebind({ query, parameters }: BoundQuery, other: SavedQuery): BoundQuery | undefined {
  const raw = other.parameters.flatMap(({ name }) => {
    const value = parameters[name];
    const declared = query.parameters.find((parameter) => parameter.name === name);
    // A list without a default was rather absent than sent without values: the other version may have a default.
    const isAbsent = value === undefined || (value.length === 0 && declared?.default === undefined);
    return isAbsent ? [] : [[name, textsOf(value)] as const];
  });
  return unlessRefused(() => {
    const bound = bind(other, new Map(raw));
    const [user] = userOf({ parameters });
    return typeof user === 'string' ? forUser(bound, user) : bound;
  });
}
