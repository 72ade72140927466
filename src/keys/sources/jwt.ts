import type { KeyObject } from 'node:crypto';
import { readJwtOptions } from '../../config/jwt-settings.ts';
import { checkOptions, isObject, type OptionRules, optionRule } from '../../config/option-rules.ts';
import { tokenShape } from '../jwt/token-shape.ts';
import { type KeySource, noteSourceMaker } from '../key-source.ts';

/** How JSON Web Tokens are verified. Exactly one of `jwksUrl`, `publicKey` and `secret` is given. */
export interface JwtOptions {
  /** An https URL of a key set, which is read at start and when it changes; it needs `issuer` and `audience`. */
  readonly jwksUrl?: string | undefined;
  /** An RSA key of 2048 bits or more, an EC or an Ed25519 key; in PEM, or parsed. */
  readonly publicKey?: string | KeyObject | undefined;
  /** Of HS256, HS384 and HS512; at least 32 bytes. */
  readonly secret?: string | undefined;
  /** The claim `iss` that tokens must have; undefined: any. */
  readonly issuer?: string | undefined;
  /** The claim `aud` that tokens must have; undefined: any. */
  readonly audience?: string | undefined;
  /**
   * The claims that say what a token permits, each a name or a JSON pointer such as `/app_metadata/tenants`. Default: their
   * own names.
   */
  readonly claims?: {
    readonly tenants?: string;
    readonly endpoints?: string;
    readonly rate?: string;
    readonly permissions?: string;
  };
  /** True if a token without the claim `tenants` reads all tenants; else it is refused. Default: false. */
  readonly allowsWithoutTenants?: boolean;
}

/**
 * JSON Web Tokens as keys. They are signed by one of the algorithms of the given key, have not expired, and say in their
 * claims what they permit.
 *
 * @throws StartError with every wrong option
 */
export function jwt(options: JwtOptions): KeySource {
  checkOptions<JwtOptions>('jwt', options, rules);
  checkOptions<Claims>('jwt', options.claims ?? {}, claimRules, 'claims.');
  const config = readJwtOptions(options);
  return {
    // The verifier is imported only if tokens are accepted.
    async open(host) {
      const { openTokens } = await import('../jwt/open-tokens.ts');
      const tokens = await openTokens({ ...host, jwt: config });
      return {
        generation: tokens.generation,
        find(text) {
          const known = tokens.known(text);
          if (known !== undefined || text === undefined || !tokens.isToken(text)) return known;
          return tokens.verify(text);
        },
        isKeyText: (text) => tokenShape.test(text),
        replaceQueries: (queries) => tokens.replaceQueries(queries),
        close: () => tokens.close(),
      };
    },
  };
}

noteSourceMaker(jwt, 'jwt({ secret })');

type Claims = NonNullable<JwtOptions['claims']>;

const { text } = optionRule;

const rules: OptionRules<JwtOptions> = {
  jwksUrl: { is: text.is, must: 'an https URL, as in https://id.example.com/.well-known/jwks.json' },
  publicKey: {
    is: (value) => text.is(value) || (isObject(value) && value.type === 'public'),
    must: 'a public key, in PEM or parsed',
  },
  secret: text,
  issuer: text,
  audience: text,
  claims: optionRule.object,
  allowsWithoutTenants: optionRule.boolean,
};

const claimName = { is: text.is, must: 'the name of a claim' };

const claimRules: OptionRules<Claims> = {
  tenants: claimName,
  endpoints: claimName,
  rate: claimName,
  permissions: claimName,
};
