const keyNames = new Set(['apikey', 'xapikey', 'accesstoken', 'authorization', 'authtoken', 'bearertoken']);

/**
 * True for the names under which people put keys into query strings, however they are spelled: `api_key`, `X-API-KEY`,
 * `accessToken`. What stands in a URL ends in logs and histories.
 */
export function isKeyName(name: string): boolean {
  return keyNames.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}
