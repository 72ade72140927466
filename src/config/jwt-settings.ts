import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { StartError } from '../errors.ts';
import { isLoopback } from './loopback.ts';

/** How far the clocks of issuers and gateways may differ: as NTP leaves them, and some more. */
export const clockSkewSeconds = 30;

/** The shortest secret that RFC 7518, 3.2 allows for HS256. */
const minSecretBytes = 32;

/** The names of claims unless a setting gives others. */
const defaultClaims = {
  tenants: 'tenants',
  endpoints: 'endpoints',
  rate: 'rate',
  permissions: 'permissions',
} as const;

type ClaimNames = Readonly<Record<keyof typeof defaultClaims, string>>;

/** The names of the claims of tokens. */
export interface Claims {
  /** Each a name, or a path such as `/app_metadata/tenants`. */
  readonly names: ClaimNames;
  /** True if a token without the claim of tenants reads all tenants; else it is refused. */
  readonly allowsWithoutTenants: boolean;
}

const maxClaimLength = 200;

/**
 * `tenants?=/app_metadata/tenants,permissions=scope`: a claim with a comma cannot be named. The ? is as in a type of TypeScript.
 *
 * @returns what is wrong, if something is
 */
function parseClaims(text: string): Claims | string {
  const pairs = text.split(',').flatMap((pair) => pair.trim() || []);
  const read = pairs.map((pair) => {
    const [, name = '', mark, claim = mark && name] = /^(\w+)(\?)?\s*(?:=\s*(\S.*))?$/.exec(pair) ?? [];
    const isKnown = mark === undefined ? Object.hasOwn(defaultClaims, name) : name === 'tenants';
    return { pair, name, claim: isKnown ? claim : undefined, isOptional: mark !== undefined };
  });
  const wrong = read.find(({ claim }) => claim === undefined || claim.length > maxClaimLength);
  if (wrong !== undefined)
    return `got ${JSON.stringify(wrong.pair)}; must be names of ${Object.keys(defaultClaims).join(', ')}, as in tenants=/app_metadata/tenants,permissions=scope; tenants? lets tokens without tenants read all`;
  const again = read.find(({ name }, at) => read.findIndex((one) => one.name === name) < at);
  if (again !== undefined) return `got ${JSON.stringify(again.pair)}; must name ${again.name} once`;
  return {
    names: { ...defaultClaims, ...Object.fromEntries(read.map(({ name, claim }) => [name, claim])) },
    allowsWithoutTenants: read.some(({ isOptional }) => isOptional),
  };
}

/** The settings of JSON Web Tokens. Secrets and keys are not shown in messages. */
export const jwtSettings = {
  JWT_JWKS_URL: z
    .string()
    .refine((text) => isKeySetUrl(URL.parse(text)), {
      error: 'must be an https URL, as in https://id.example.com/.well-known/jwks.json',
    })
    .optional(),
  JWT_PUBLIC_KEY: z
    .string()
    .transform((text, context): KeyObject => {
      const key = parsePublicKey(text);
      if (typeof key !== 'string') return key;
      context.addIssue(key);
      return z.NEVER;
    })
    .optional(),
  JWT_SECRET: z
    .string()
    .refine(
      (text) => Buffer.byteLength(text) >= minSecretBytes,
      `must have at least ${minSecretBytes} bytes: shorter secrets can be guessed from a token`,
    )
    .optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_CLAIMS: z
    .string()
    .default('')
    .transform((text, context): Claims => {
      const claims = parseClaims(text);
      if (typeof claims !== 'string') return claims;
      context.addIssue(claims);
      return z.NEVER;
    }),
} as const;

type Read = z.output<z.ZodObject<typeof jwtSettings>>;

/** How tokens are verified, and what their claims are called. */
export type JwtConfig = NonNullable<ReturnType<typeof jwtConfig>>;

/** @returns undefined if tokens are not accepted */
export function jwtConfig(read: Read) {
  const { JWT_JWKS_URL: url, JWT_PUBLIC_KEY: publicKey, JWT_SECRET: secret } = read;
  if (url === undefined && publicKey === undefined && secret === undefined) return undefined;
  return Object.freeze({
    jwksUrl: url,
    publicKey,
    secret,
    issuer: read.JWT_ISSUER,
    audience: read.JWT_AUDIENCE,
    claims: Object.freeze(read.JWT_CLAIMS.names),
    allowsWithoutTenants: read.JWT_CLAIMS.allowsWithoutTenants,
  });
}

const isUndefined = 'is undefined; is the variable set that it is read from?';

/** The options of the package's `jwt`; see `JwtOptions`. */
interface JwtInput {
  readonly jwksUrl?: string | undefined;
  readonly publicKey?: string | KeyObject | undefined;
  readonly secret?: string | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly claims?: Partial<ClaimNames>;
  readonly allowsWithoutTenants?: boolean;
}

/** Options by the same rules as the settings. @throws StartError with every problem, by the names of the options */
export function readJwtOptions(options: JwtInput): JwtConfig {
  const { publicKey, claims = {} } = options;
  const given: Readonly<Record<keyof typeof jwtSettings, string | undefined>> = {
    JWT_JWKS_URL: options.jwksUrl,
    JWT_PUBLIC_KEY:
      typeof publicKey === 'object' ? String(publicKey.export({ type: 'spki', format: 'pem' })) : publicKey,
    JWT_SECRET: options.secret,
    JWT_ISSUER: options.issuer,
    JWT_AUDIENCE: options.audience,
    JWT_CLAIMS: options.allowsWithoutTenants === true ? 'tenants?' : undefined,
  };
  const values = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const parsed = z.object(jwtSettings).safeParse(values);
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => ({
      message: `${path.join('.')}: ${message}`,
    })),
    ...jwtProblems(values, (name) => name),
    ...Object.entries<string | undefined>(claims).flatMap(([name, claim]) => {
      if (claim === undefined) return [{ message: `claims.${name}: ${isUndefined}` }];
      return claim.length > maxClaimLength
        ? [{ message: `claims.${name}: has more than ${maxClaimLength} characters` }]
        : [];
    }),
  ];
  const config = parsed.success ? jwtConfig(parsed.data) : undefined;
  if (config !== undefined && problems.length === 0)
    return Object.freeze({ ...config, claims: Object.freeze({ ...defaultClaims, ...claims }) });
  const unset = keySources.filter(
    (name) => (optionNames[name] ?? '') in options && given[name] === undefined,
  );
  const hasSource = keySources.some((name) => given[name] !== undefined);
  const all = hasSource
    ? problems
    : [
        ...unset.map((name) => ({
          message: `${name}: ${isUndefined}`,
        })),
        { message: `give one of ${keySources.join(', ')}` },
      ];
  throw new StartError(
    'The options of jwt have problems',
    all.map(({ message }) => ({
      message: message.replace(/\bJWT_[A-Z_]+\b/g, (name) => optionNames[name] ?? name),
    })),
  );
}

const optionNames: Readonly<Record<string, string>> = {
  JWT_JWKS_URL: 'jwksUrl',
  JWT_PUBLIC_KEY: 'publicKey',
  JWT_SECRET: 'secret',
  JWT_ISSUER: 'issuer',
  JWT_AUDIENCE: 'audience',
};

const keySources = ['JWT_JWKS_URL', 'JWT_PUBLIC_KEY', 'JWT_SECRET'] as const;

/** Problems of the settings together. @param values those that are set, valid or not */
export function jwtProblems(
  values: Readonly<Record<string, string>>,
  label: (name: string) => string,
): readonly { readonly message: string }[] {
  const sources = keySources.filter((name) => name in values);
  const [first, ...more] = sources;
  if (first === undefined) {
    return (['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_CLAIMS'] as const)
      .filter((name) => name in values)
      .map((name) => ({ message: `${label(name)}: has no effect without one of ${keySources.join(', ')}` }));
  }
  if (more.length > 0) return [{ message: `${sources.map(label).join(', ')}: set only one of them` }];
  if (first !== 'JWT_JWKS_URL') return [];
  // A provider signs tokens for many services with the same keys.
  return (['JWT_ISSUER', 'JWT_AUDIENCE'] as const)
    .filter((name) => !(name in values))
    .map((name) => ({
      message: `${name}: is missing; JWT_JWKS_URL needs it: a provider signs tokens for other services too`,
    }));
}

/** Keys that anybody on the way could replace verify nothing. */
function isKeySetUrl(url: URL | null): boolean {
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** @param text PEM; line breaks may be written as `\n` @returns what is wrong with it, if something is */
function parsePublicKey(text: string): KeyObject | string {
  const pem = text.replaceAll('\\n', '\n');
  // It would be accepted: its public part can be computed.
  if (/PRIVATE KEY/.test(pem)) return 'is a private key; give the public one, which BEGIN PUBLIC KEY marks';
  try {
    const key = createPublicKey(pem);
    return algorithmsOf(key).length > 0
      ? key
      : 'must be an RSA key of 2048 bits or more, an EC key on P-256, P-384 or P-521, or an Ed25519 key';
  } catch {
    return 'must be a public key in PEM, which BEGIN PUBLIC KEY marks';
  }
}

/**
 * The algorithms that a public key verifies. The key decides, not the token: with a token's own `alg`, a public key could
 * be used as the secret of an HMAC, or the signature be left out.
 */
export function algorithmsOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): readonly string[] {
  if (type === 'rsa') return (details?.modulusLength ?? 0) < 2048 ? [] : rsaAlgorithms;
  if (type === 'ed25519') return ['EdDSA', 'Ed25519'];
  return type === 'ec' ? (curveAlgorithms[details?.namedCurve ?? ''] ?? []) : [];
}

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

const curveAlgorithms: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};
