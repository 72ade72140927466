const keyNames = new Set(['apikey', 'xapikey', 'accesstoken', 'authorization', 'authtoken', 'bearertoken']);

/**
 * True for names under which people put API keys into query strings, in any spelling: `api_key`, `X-API-KEY`,
 * `accessToken`. URLs end up in logs and browser histories.
 */
export function isCredentialName(name: string): boolean {
  return keyNames.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}
