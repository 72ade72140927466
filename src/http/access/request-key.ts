import type { RequestHeaders } from '../message/head.ts';

/** The key of a request; undefined without one, and with two different ones: one of them may be another caller's. */
export function keyOf(headers: RequestHeaders): string | undefined {
  const key = headers['x-api-key'];
  const { authorization } = headers;
  if (authorization === undefined) return key;
  const token = bearerToken(authorization);
  return key === undefined || token === undefined || key === token ? (key ?? token) : undefined;
}

/** Most clients write the scheme like this; a regular expression would take longer than the look-up of the token. */
function bearerToken(authorization: string): string | undefined {
  const plain = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
  if (plain !== '' && !plain.includes(' ') && !plain.includes('\t')) return plain;
  return /^Bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.token;
}
