import { hash } from 'node:crypto';
import type { Principal } from '../keys/principal.ts';
import { memoize } from '../memoize.ts';

/**
 * Everything that a key permits, as text of a fixed length: equal for two principals exactly if they may read the same. Limits
 * are not among it, for they change no answer.
 */
export const rightsOf = memoize((principal: Principal): string => digestOf(principal, undefined));

/** The same for this key alone. */
export const rightsOfKey = memoize((principal: Principal): string => digestOf(principal, principal.id));

function digestOf(
  { tenants, endpoints, permissions, hidesEndpoints }: Principal,
  id: string | undefined,
): string {
  const rights = [sorted(tenants), sorted(endpoints), sorted(permissions), hidesEndpoints, id ?? null];
  return hash('sha256', JSON.stringify(rights), 'base64url');
}

/** null: all of them. */
const sorted = (names: ReadonlySet<string> | undefined): readonly string[] | null =>
  names === undefined ? null : [...names].sort();
