import { isSharedFailure, type LeaderFailure } from '../shared/leader-failure.ts';
import type { LeaderState } from '../shared/shared-cache.ts';
import type { CacheCrypto } from './cache-crypto.ts';

/**
 * A lease as Redis stores it: `working <fencing token> <signature>`, or `failed <fencing token> <signature> <failure as
 * JSON>`. The signature binds it to its cache key.
 */
export interface LeaseTexts {
  working(key: string, fencingToken: string): string;
  failed(key: string, fencingToken: string, failure: LeaderFailure): string;
  /** @returns undefined for foreign text, which counts as no lease */
  parse(key: string, text: unknown): LeaderState | undefined;
}

export function buildLeaseTexts({ sign, isSigned }: CacheCrypto): LeaseTexts {
  const join = (state: string, key: string, fencingToken: string, detail: string) =>
    `${state} ${fencingToken} ${sign('lease', key, `${state} ${fencingToken}${detail}`)}${detail}`;
  return {
    working: (key, fencingToken) => join('working', key, fencingToken, ''),
    failed: (key, fencingToken, failure) => join('failed', key, fencingToken, ` ${JSON.stringify(failure)}`),
    parse(key, text) {
      const match = leaseText.exec(String(text))?.groups;
      if (match === undefined) return undefined;
      const { state, fencingToken = '', signature = '', detail = '' } = match;
      if (!isSigned('lease', key, `${state} ${fencingToken}${detail}`, signature)) return undefined;
      if (state === 'working') return { state, fencingToken };
      const failure = parseFailure(detail);
      return failure === undefined ? undefined : { state: 'failed', fencingToken, failure };
    },
  };
}

const leaseText =
  /^(?<state>working|failed) (?<fencingToken>\d{1,20}) (?<signature>[\w-]{43})(?<detail> \{.{0,500}\})?$/;

function parseFailure(text: string): LeaderFailure | undefined {
  try {
    const failure: unknown = JSON.parse(text);
    return isSharedFailure(failure) ? failure : undefined;
  } catch {
    return undefined;
  }
}
