import type { JWTPayload } from 'jose';
import { z } from 'zod';
import { type Budget, budgetSchema, toBudget } from '../../config/budget.ts';
import type { JwtConfig } from '../../config/jwt-settings.ts';
import { rateSchema, tenantSchema } from '../file/key-schema.ts';
import { type Permission, permissions } from '../principal.ts';

/** The rights that the claims of a token give. */
export interface TokenClaims {
  readonly subject: string | undefined;
  /** undefined: all. */
  readonly tenants: readonly string[] | undefined;
  /** Names or UUIDs; undefined: all. */
  readonly endpoints: readonly string[] | undefined;
  readonly rate: z.output<typeof rateSchema>;
  /** undefined: unlimited. */
  readonly budget: Budget | undefined;
  readonly permissions: readonly Permission[];
}

/** Those that a token may have. The metrics are of all tenants and of endpoints that are hidden from others. */
const tokenPermissions = permissions.filter((one) => one !== 'metrics');

const maxListed = 1_000;

const names = z.array(tenantSchema).min(1).max(maxListed);

/** Many issuers write a list with one entry as a text. */
const listOrOne = z.union([names, tenantSchema.transform((one) => [one])]);

/** OAuth writes scopes as one text with spaces between them (RFC 9068). */
const scopesOrList = z.union([
  z.array(z.string()).max(maxListed),
  z
    .string()
    .max(10_000)
    .transform((text) => text.split(' ')),
]);

const rate = z.union([rateSchema, z.int().min(1).max(1_000_000).transform(perMinute)]);

function perMinute(limit: number): z.output<typeof rateSchema> {
  return { requests_per_minute: limit };
}

/**
 * The claims of a verified token, by the names that the operator configured. A claim that is there must be right: to
 * ignore a wrong one would widen the rights of the token.
 *
 * @returns a problem if one is wrong, or if there are no tenants and the operator does not allow that
 */
export function readClaims(
  payload: JWTPayload,
  { claims, allowsWithoutTenants }: Pick<JwtConfig, 'claims' | 'allowsWithoutTenants'>,
): { readonly claims: TokenClaims } | { readonly problem: string } {
  const subject = z.string().optional().safeParse(payload.sub);
  if (!subject.success) return { problem: 'the claim sub has a wrong value' };
  const read = {
    tenants: listOrOne.optional().safeParse(claimOf(payload, claims.tenants)),
    endpoints: listOrOne.optional().safeParse(claimOf(payload, claims.endpoints)),
    rate: rate.optional().safeParse(claimOf(payload, claims.rate)),
    permissions: scopesOrList.optional().safeParse(claimOf(payload, claims.permissions)),
  };
  const budget = budgetSchema.optional().safeParse(claimOf(payload, 'budget'));
  if (!budget.success) return { problem: 'the claim budget has a wrong value' };
  const { tenants, endpoints } = read;
  for (const name of ['tenants', 'endpoints', 'rate', 'permissions'] as const) {
    if (!read[name].success) return { problem: `the claim ${claims[name]} has a wrong value` };
  }
  if (tenants.data === undefined && !allowsWithoutTenants) {
    return { problem: `the claim ${claims.tenants} is missing` };
  }
  return {
    claims: {
      subject: subject.data,
      tenants: tenants.data,
      endpoints: endpoints.data,
      rate: read.rate.data ?? {},
      budget: budget.data && toBudget(budget.data),
      // Issuers list permissions of other services too.
      permissions: tokenPermissions.filter((one) => read.permissions.data?.includes(one)),
    },
  };
}

/** @param name a claim, or a JSON pointer (RFC 6901) such as `/app_metadata/tenants` */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (!name.startsWith('/')) return Object.hasOwn(payload, name) ? payload[name] : undefined;
  const path = name
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  let value: unknown = payload;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
