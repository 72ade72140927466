import { GatewayError } from '../../../errors.ts';
import type { RequestHeaders } from '../head.ts';
import { elementsOf, isInUtf8, partsOf } from '../list-header.ts';

const plainCodings: ReadonlySet<string> = new Set(['', 'identity']);

/**
 * Requires that a body can be read as it is: text in UTF-8 and not compressed, because a small compressed body may expand to a
 * large one.
 *
 * @param types those that are read, in lower case; undefined: any
 * @returns the media type in lower case, without parameters; '' if the body has no type
 * @throws GatewayError UNSUPPORTED_MEDIA_TYPE
 * @see RFC 9110, 8.3 and 15.5.16
 */
export function requireBodyType(headers: RequestHeaders, types: readonly string[] | undefined): string {
  const { 'content-type': given = '', 'content-encoding': codings } = headers;
  const isCoded = codings !== undefined && !elementsOf(codings).every(isPlain);
  if (isCoded) throw unsupported('without a Content-Encoding');
  // As most clients send it.
  if (given === 'application/json' && types?.[0] === given) return given;
  const [type, ...parameters] = partsOf(given);
  if (types !== undefined && !types.includes(type))
    throw unsupported(`as Content-Type: ${types.join(' or ')}`);
  if (!isInUtf8(parameters)) throw unsupported('in UTF-8');
  return type;
}

const isPlain = (coding: string): boolean => plainCodings.has(partsOf(coding)[0]);

const unsupported = (right: string) => new GatewayError('UNSUPPORTED_MEDIA_TYPE', `Send the body ${right}`);
