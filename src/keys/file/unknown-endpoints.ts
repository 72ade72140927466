import type { Problem } from '../../errors.ts';
import { type EndpointNames, resolveEndpoints } from '../principal.ts';
import type { ParsedKeys } from './parse-keys.ts';

/** The endpoints in a key file that no saved query has. Revoked keys are not checked: they cannot be used. */
export function unknownEndpoints(
  file: string,
  { keys, lineOf }: ParsedKeys,
  queries: EndpointNames,
): readonly Problem[] {
  return keys.flatMap((key, at) => {
    if (key.revoked !== undefined) return [];
    return resolveEndpoints({ queries }, key).unknown.map((address) => ({
      file,
      line: lineOf(['keys', at, 'endpoints', key.endpoints?.indexOf(address) ?? 0]),
      message: `keys.${at}.endpoints: no saved query has the name or UUID ${address}`,
    }));
  });
}
