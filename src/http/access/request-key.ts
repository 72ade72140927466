import type { RequestHeaders } from '../message/head.ts';

/** The key of a request; undefined without one, and with two different ones: one of them may be another caller's. */
export function keyOf({ 'x-api-key': header, authorization }: RequestHeaders): string | undefined {
  const key = header?.includes(repeated) ? onlyKey(header.split(repeated)) : header;
  if (key === undefined && header !== undefined) return undefined;
  if (authorization === undefined) return key || undefined;
  const token = bearerToken(authorization);
  return !key || token === undefined || key === token ? key || token : undefined;
}

/** True if the headers have different keys. */
export function hasTwoKeys({ 'x-api-key': header = '', authorization = '' }: RequestHeaders): boolean {
  return onlyKey([...header.split(repeated), bearerToken(authorization) ?? '']) === undefined;
}

/** Between the values of a repeated header; keys have no spaces. */
const repeated = ', ';

function onlyKey(texts: readonly string[]): string | undefined {
  const [key = '', other] = new Set(texts.filter((text) => text !== ''));
  return other === undefined ? key : undefined;
}

/** Most clients write the scheme like this; a regular expression would take longer than the look-up of the token. */
function bearerToken(authorization: string): string | undefined {
  const plain = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
  if (plain !== '' && !plain.includes(' ') && !plain.includes('\t')) return plain;
  return /^Bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.token;
}
