import type { EndpointRequest } from '../../call/endpoint-request.ts';
import { GatewayError } from '../../errors.ts';
import { requireBodyType } from '../../http/message/body/body-type.ts';
import type { RequestHead } from '../../http/message/head.ts';
import { httpLimits } from '../../http/message/http-limits.ts';
import { listNameOf, mergeLists } from '../../catalog/binding/merge-lists.ts';
import { parseQueryString } from '../../http/message/prepared-request.ts';

type RawParameters = EndpointRequest['parameters'];

/** Reads parameters from the bytes of a body. @throws GatewayError BAD_REQUEST */
export type ReadParameters = (body: Uint8Array) => BodyParameters;

interface BodyParameters {
  readonly given: RawParameters;
  /** Names of others: no more than may be given. */
  readonly ignored: readonly string[];
}

/**
 * How the parameters of a POST are read: as a form, or as a JSON object.
 *
 * @param isRead false for what is ignored, as it is in a query string
 * @param lists those of them that may have several values
 * @param isRounded whether a number in JSON may not be the one that was sent for one of them
 * @throws GatewayError UNSUPPORTED_MEDIA_TYPE
 */
export function parametersReader(
  headers: RequestHead['headers'],
  isRead: IsRead,
  lists: ReadonlySet<string> = new Set(),
  isRounded: IsRounded = () => false,
): ReadParameters {
  const isAbsent = headers['content-type'] === undefined && isEmpty(headers);
  const read = readers.get(requireBodyType(headers, isAbsent ? undefined : [...readers.keys()]));
  return read === undefined ? () => noParameters : (body) => read(decodeBody(body), isRead, lists, isRounded);
}

/** @param value in JSON; of a form, the last text */
type IsRead = (name: string, value: unknown) => boolean;

type IsRounded = (name: string, value: number) => boolean;

type ReadText = (
  text: string,
  isRead: IsRead,
  lists: ReadonlySet<string>,
  isRounded: IsRounded,
) => BodyParameters;

const readers: ReadonlyMap<string, ReadText> = new Map([
  ['application/json', readJson],
  ['application/x-www-form-urlencoded', readForm],
]);

const { maxParameters } = httpLimits;

const noParameters: BodyParameters = { given: new Map(), ignored: [] };

function isEmpty(headers: RequestHead['headers']): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
}

function readForm(text: string, isRead: IsRead, lists: ReadonlySet<string>): BodyParameters {
  const sent = mergeLists(parseQueryString(text, lists), lists);
  const given = new Map([...sent].filter(([name, values]) => isRead(name, values.at(-1))));
  return { given, ignored: [...sent.keys()].filter((name) => !given.has(name)) };
}

function readJson(
  text: string,
  isRead: IsRead,
  lists: ReadonlySet<string>,
  isRounded: IsRounded,
): BodyParameters {
  if (text.trim() === '') return noParameters;
  const right = 'send parameters as {"name": "value"}';
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new GatewayError('BAD_REQUEST', `The body is not valid JSON; ${right}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GatewayError('BAD_REQUEST', `The body is not a JSON object; ${right}`);
  }
  const members = Object.entries(body as Readonly<Record<string, unknown>>);
  const nameOf = (name: string) => (lists.has(listNameOf(name)) ? listNameOf(name) : name);
  const given = members.filter(([name, value]) => isRead(nameOf(name), value));
  if (given.length > maxParameters)
    throw new GatewayError('BAD_REQUEST', `The body has more than ${maxParameters} parameters`);
  const textsOfMember = (name: string, value: unknown) => textsOf(name, value, lists.has(name), isRounded);
  const texts = new Map(given.map(([name, value]) => [name, textsOfMember(nameOf(name), value)]));
  const ignored = members.flatMap(([name]) => (texts.has(name) ? [] : [name]));
  return { given: mergeLists(texts, lists), ignored: ignored.slice(0, maxParameters) };
}

function textsOf(name: string, value: unknown, isList: boolean, isRounded: IsRounded): readonly string[] {
  if (!isList || !Array.isArray(value)) return [textOf(name, value, isRounded)];
  return value.map((one: unknown) => textOf(name, one, isRounded));
}

function textOf(name: string, value: unknown, isRounded: IsRounded): string {
  if (value === null) return '';
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (isExact(value) && !isRounded(name, value)) return String(value);
  const what =
    typeof value === 'number'
      ? 'is not exact as a JSON number; send it as text'
      : `must be text, a number, true, false or null, not ${Array.isArray(value) ? 'an array' : 'an object'}`;
  throw new GatewayError('BAD_REQUEST', `${name}: ${what}`, { parameter: name });
}

/** False for an integer that may have been rounded: to know its digits, all of the body would have to be parsed again. */
function isExact(value: unknown): value is number {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new GatewayError('BAD_REQUEST', 'The body is not well-formed UTF-8');
  }
}
