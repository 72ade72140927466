import type { PluginRoute } from '../../../http/message/route.ts';
import { type Reply, replyJson } from '../../../http/message/reply.ts';

/** Who issues tokens for agents, and for which resource: the audience that tokens must have. */
export interface OauthOptions {
  /** The URL of the endpoint as agents reach it, as in `https://data.example.com/mcp`. */
  readonly resource: string;
  /** The issuer of tokens, byte for byte as it names itself. */
  readonly issuer: string;
}

/** The rights that a token may give besides calling tools, as the scopes of an authorization server. */
const scopes = { base: 'mcp', sql: 'sql', catalog: 'catalog' } as const;

const wellKnown = '/.well-known/oauth-protected-resource';

/**
 * Where clients find out who issues tokens. The path of the resource follows the well-known one.
 *
 * @see RFC 9728
 */
export function metadataRoutes({ resource, issuer }: OauthOptions, mcpPath: string): readonly PluginRoute[] {
  const text = JSON.stringify({
    resource,
    authorization_servers: [issuer],
    scopes_supported: Object.values(scopes),
    bearer_methods_supported: ['header'],
    resource_name: 'Querygate',
  });
  const { pathname } = new URL(resource);
  const paths = new Set([wellKnown, wellKnown + mcpPath, wellKnown + (pathname === '/' ? '' : pathname)]);
  return [...paths].map((path) => ({
    path,
    access: 'public',
    allowsCors: true,
    answer: () => replyJson(200, text, { 'cache-control': 'public, max-age=3600' }),
  }));
}

/** A refusal with what a token must have to be accepted: 401 without a valid one, 403 for one that permits too little. */
export function withChallenge(reply: Reply, oauth: OauthOptions): Reply {
  const parameters = challenges[reply.status];
  if (parameters === undefined) return reply;
  // Why a token is refused.
  const refused = reply.headers['www-authenticate']?.matchAll(/(error\w*)="([^"]*)"/g) ?? [];
  const problem = Object.fromEntries([...refused].map(([, name, value]) => [name, value]));
  const text = challenge(oauth, { ...problem, ...parameters });
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': text } };
}

const challenges: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { scope: scopes.base },
  403: { error: 'insufficient_scope', scope: `${scopes.base} ${scopes.sql}` },
};

/** @see RFC 6750, RFC 9728 */
function challenge({ resource }: OauthOptions, parameters: Readonly<Record<string, string>>): string {
  const { origin, pathname } = new URL(resource);
  const metadata = origin + wellKnown + (pathname === '/' ? '' : pathname);
  return `Bearer ${Object.entries({ realm: 'querygate', ...parameters, resource_metadata: metadata })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}
