import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { errors, type JWTPayload, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { clockSkewSeconds, type JwtConfig } from '../../config/jwt-settings.ts';
import type { Refusal } from '../../errors.ts';
import { type EndpointNames, type HideEndpoints, namesOf, type Principal } from '../principal.ts';
import type { LimitedPrincipal } from '../limited-principals.ts';
import type { NewRateLimit } from '../rates/rate-limiter.ts';
import { readClaims } from './claims.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';
import { buildTokenPrincipals } from './token-principals.ts';
import { maxTokenLength, tokenProblems } from './token-shape.ts';

/** JSON Web Tokens as keys: what a token permits is in its claims. */
export interface Tokens {
  /** The principal of a token that was verified before and is still valid. */
  known(text: string | undefined): Principal | undefined;
  /** Grows when the keys that verify them change. */
  generation(): number;
  /** True for a text of the form of a token. */
  isToken(text: string): boolean;
  /** It never rejects. */
  verify(text: string): Promise<{ readonly principal: Principal } | { readonly refusal: Refusal }>;
  /** Resolves endpoints in another version of the catalog: tokens are verified again. */
  replaceQueries(queries: EndpointNames): void;
  close(): Promise<void>;
}

export interface TokensOptions {
  readonly jwt: JwtConfig;
  readonly hideEndpoints: HideEndpoints;
  readonly catalog: Catalog;
  readonly newRateLimit: NewRateLimit;
  readonly log: Logger;
  readonly now: () => Date;
}

/**
 * How many verified tokens are kept, by their digests. More than can follow results at the same time: each of those is looked
 * for five times a second, and would be verified each time if they did not all have room.
 */
const maxKnown = 25_000;

/** Characters of those that are kept by their text as well: to hash one takes a tenth of the time of a cached reply. */
const maxRecentLength = 2_000_000;

interface KnownToken {
  readonly principal: LimitedPrincipal;
  /** Milliseconds since the epoch. */
  readonly validUntil: number;
  /** Of the keys that verified it. */
  readonly generation: number;
  /** In which its endpoints were found. */
  readonly queries: EndpointNames;
}

export async function openTokens(options: TokensOptions): Promise<Tokens> {
  const { jwt, log, now } = options;
  const source = await openSigningKeys(jwt, log);
  let queries = namesOf(options.catalog.queries);
  const principalOf = buildTokenPrincipals({ ...options, queries: () => queries });
  const known = new LRUCache<string, KnownToken>({ max: maxKnown });
  const recent = new LRUCache<string, KnownToken>({
    maxSize: maxRecentLength,
    sizeCalculation: (_, text) => text.length,
  });
  const isValid = (token: KnownToken) =>
    token.generation === source.generation() &&
    token.queries === queries &&
    now().getTime() < token.validUntil;

  const verify = async (text: string) => {
    // A token that is verified while the keys change is verified again.
    const generation = source.generation();
    const { payload } = await verifySignature(text, source, {
      algorithms: source.algorithms,
      requiredClaims: ['exp'],
      clockTolerance: clockSkewSeconds,
      currentDate: now(),
      ...(jwt.issuer !== undefined && { issuer: jwt.issuer }),
      ...(jwt.audience !== undefined && { audience: jwt.audience }),
    });
    if (expiryOf(payload) > latestExpiry) return { refusal: { reason: 'token', problem: noExpiry } as const };
    const read = readClaims(payload, jwt);
    if ('problem' in read) return { refusal: { reason: 'token', problem: read.problem } as const };
    const principal = principalOf(read.claims);
    // One of an earlier generation may be kept by the text.
    recent.delete(text);
    known.set(keyOf(text), {
      principal,
      validUntil: expiryOf(payload) + clockSkewSeconds * 1000,
      generation,
      queries,
    });
    return { principal: principal() };
  };
  return {
    known(text) {
      if (text === undefined || !beginsAsToken(text) || text.length > maxTokenLength) return undefined;
      const inUse = recent.get(text);
      const token = inUse ?? known.get(keyOf(text));
      if (token === undefined || !isValid(token)) return undefined;
      if (inUse === undefined) recent.set(text, token);
      return token.principal();
    },
    generation: () => source.generation(),
    isToken: (text) => beginsAsToken(text) && text.includes('.'),
    async verify(text) {
      if (text.length > maxTokenLength) return { refusal: { reason: 'token', problem: 'too long' } };
      try {
        return await verify(text);
      } catch (error) {
        return { refusal: refusalOf(error) };
      }
    },
    replaceQueries(next) {
      const names = namesOf(next);
      if (!isDeepStrictEqual(names, queries)) queries = names;
    },
    close: () => source.close(),
  };
}

const keyOf = (text: string): string => hash('sha256', text, 'base64');

/** Base64url of `{"`: a token begins with a JSON object. */
const beginsAsToken = (text: string): boolean => text.startsWith('eyJ');

/** The end of the year 9999. Milliseconds in place of seconds would let a token live for fifty thousand years. */
const latestExpiry = Date.UTC(10_000, 0);
const noExpiry = 'the claim exp is beyond the year 9999: it is in seconds, not in milliseconds';

/** In seconds since the epoch; it is required. */
const expiryOf = ({ exp = 0 }: JWTPayload): number => exp * 1000;

async function verifySignature(
  text: string,
  { getKey }: SigningKeys,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(text, getKey, options);
  } catch (error) {
    // A token need not say by which key of a set it is signed.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(text, key, options);
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return { reason: 'expired', problem: tokenProblems.expired };
  if (error instanceof errors.JWTClaimValidationFailed) {
    return {
      reason: 'token',
      problem: claimProblems[error.claim] ?? `the claim ${error.claim} is not valid`,
    };
  }
  const code = error instanceof errors.JOSEError ? error.code : undefined;
  return { reason: 'token', problem: problems[code ?? ''] ?? 'malformed' };
}

const claimProblems: Readonly<Record<string, string>> = {
  exp: 'the claim exp is missing or wrong',
  nbf: tokenProblems.early,
  aud: 'the audience is another one',
  iss: 'the issuer is another one',
};

const problems: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: 'the algorithm is not allowed for the configured key',
  ERR_JWKS_NO_MATCHING_KEY: 'the signing key is not known',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature is wrong',
};
