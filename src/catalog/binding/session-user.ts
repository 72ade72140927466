import { userParameter } from '@querygate/bigquery-sql/tree';
import { memoize } from '../../memoize.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import type { BoundQuery } from './bind.ts';

/**
 * The query with the value of SESSION_USER(), if its SQL has that word: its result is then kept for this key alone. It is
 * a parameter that no header and no caller can name.
 *
 * @param id of the key
 */
export const forUser = (bound: BoundQuery, id: string): BoundQuery =>
  hasSessionUser(bound.query)
    ? { ...bound, parameters: { ...bound.parameters, [userParameter]: id } }
    : bound;

/** True if SQL may call SESSION_USER(). If a query calls it in a way that is not found, it is '' for all keys. */
const hasSessionUser = memoize(({ sql }: SavedQuery) => /session_user/i.test(sql));

/**
 * The value of SESSION_USER() for a bound query, as a part of its cache key; none for a query that does not call it.
 */
export const userOf = ({
  parameters,
}: Pick<BoundQuery, 'parameters'>): readonly BoundQuery['parameters'][string][] => {
  const user = parameters[userParameter];
  return user === undefined ? [] : [user];
};
