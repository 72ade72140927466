import { LRUCache } from 'lru-cache';
import type { BoundQuery, RawParameters } from '../../catalog/binding/bind.ts';
import { findQuery, lookUpQuery } from '../../catalog/model/find-query.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { GatewayError, type GatewayErrorOptions } from '../../errors.ts';
import { type Format, formatNamed, formatNames, formats, isExtension } from '../../formats/format.ts';
import { elementsOf, partsOf } from '../message/list-header.ts';
import type { EndpointAddress, FormatOfUrl } from '../message/prepared-request.ts';

/** The parameter that names a format. */
const formatParameter = 'format';

/**
 * Finds the query of a REST path, with or without an extension. Names have dots too: the longest text that addresses a query
 * is its address, so that a query named `logs.csv` is not the query `logs` as CSV. An ending that is not the extension of a format
 * belongs to the name. The parameter precedes the extension.
 *
 * @throws GatewayError UNKNOWN_QUERY
 */
export function findEndpoint(catalog: Catalog, address: string, parameters: RawParameters): EndpointAddress {
  const named = formatOfParameter(parameters);
  const query = lookUpQuery(catalog, address);
  if (query !== undefined) return { query, format: named };
  const dot = address.lastIndexOf('.');
  const extension = address.slice(dot + 1);
  const hasExtension = dot >= 0 && isExtension(extension);
  return {
    query: findQuery(catalog, hasExtension ? address.slice(0, dot) : address),
    format: named ?? formatNamed(extension) ?? 'unknown extension',
  };
}

function formatOfParameter(parameters: RawParameters): FormatOfUrl | undefined {
  const values = parameters.get(formatParameter) ?? [];
  if (values.length > 1) return 'repeated parameter';
  const [value = ''] = values;
  return value === '' ? undefined : (formatNamed(value) ?? 'unknown parameter');
}

/**
 * The format of a response. Ask only for callers who may query the endpoint: the answer says that it exists.
 *
 * @param accept the header as received
 * @throws GatewayError NOT_ACCEPTABLE; INVALID_PARAMETER if the parameter is repeated
 */
export function chooseFormat(
  ofUrl: FormatOfUrl | undefined,
  accept: string | undefined,
  bound: BoundQuery,
): Format {
  switch (ofUrl) {
    case undefined:
      return acceptedFormat(accept, bound);
    case 'repeated parameter':
      throw new GatewayError('INVALID_PARAMETER', `${formatParameter}: given more than once; send it once`, {
        parameter: formatParameter,
      });
    case 'unknown parameter':
      throw notAcceptable(`${formatParameter}: there is no such format`, bound, {
        parameter: formatParameter,
      });
    case 'unknown extension':
      throw notAcceptable('The path ends in the extension of no format', bound);
  }
  if (isAvailable(ofUrl, bound)) return ofUrl;
  throw new GatewayError(
    'NOT_ACCEPTABLE',
    `${bound.query.name} has no Prometheus text: its header does not declare prometheus${bound.sql === undefined ? '' : " for a caller's SQL"}; ${availableFormats(bound)}`,
  );
}

function acceptedFormat(accept: string | undefined, bound: BoundQuery): Format {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return formats.json;
  const preferred = parsed.get(accept) ?? preferredFormats(accept);
  if (accept.length <= maxParsedLength) parsed.set(accept, preferred);
  const format = preferred.find((one) => isAvailable(one, bound));
  if (format === undefined)
    throw notAcceptable('Accept: it names no media type that is available here', bound);
  return format;
}

/** Clients send the same few values again and again. */
const parsed = new LRUCache<string, readonly Format[]>({ max: 100 });
const maxParsedLength = 1_024;

/** A header declares Prometheus text of its own columns, not of a caller's SQL. */
const isAvailable = (format: Format, { query, sql }: BoundQuery): boolean =>
  format !== formats.prometheus || (query.prometheus !== undefined && sql === undefined);

function notAcceptable(problem: string, bound: BoundQuery, options: GatewayErrorOptions = {}): GatewayError {
  return new GatewayError('NOT_ACCEPTABLE', `${problem}; ${availableFormats(bound)}`, options);
}

function availableFormats(bound: BoundQuery): string {
  const names = formatNames.filter((name) => {
    const format = formatNamed(name);
    return format !== undefined && isAvailable(format, bound);
  });
  return `available as extension, as ?${formatParameter}= or by media type in Accept: ${names.join(', ')}`;
}

interface MediaRange {
  readonly type: string;
  readonly version: string | undefined;
  readonly weight: number;
  readonly place: number;
}

/** 3: the type itself, 2: `text/*`, 1: any, 0: the range does not match. */
type Specificity = 0 | 1 | 2 | 3;

/**
 * The formats that a caller accepts, the preferred ones first: those of greater weight, then those that it names, then those
 * that it names earlier. JSON comes first among equals.
 *
 * @see RFC 9110, 12.5.1
 */
function preferredFormats(accept: string): readonly Format[] {
  const ranges = elementsOf(accept).map(parseRange);
  if (accept.trim() === '') return [formats.json];
  return Object.values<Format>(formats)
    .flatMap((format) => {
      const matches = ranges.map((range) => ({ ...range, specificity: specificityOf(range, format) }));
      const [best] = matches
        .filter(({ specificity }) => specificity > 0)
        .sort((a, b) => b.specificity - a.specificity || b.weight - a.weight);
      return best === undefined || best.weight <= 0 ? [] : [{ format, ...best }];
    })
    .sort((a, b) => b.weight - a.weight || b.specificity - a.specificity || a.place - b.place)
    .map(({ format }) => format);
}

function parseRange(text: string, place: number): MediaRange {
  const [type, ...parameters] = partsOf(text);
  const parameter = (name: string) =>
    parameters
      .find((one) => one.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', '');
  const weight = Number(parameter('q') ?? 1);
  return { type, version: parameter('version'), weight: Number.isNaN(weight) ? 0 : weight, place };
}

function specificityOf({ type, version }: MediaRange, { mediaTypes, version: ours }: Format): Specificity {
  if (mediaTypes.length === 0) return 0;
  if (type === '*/*') return 1;
  if (mediaTypes.includes(type))
    return version === undefined || ours === undefined || version === ours ? 3 : 0;
  return mediaTypes.some((one) => type === `${one.split('/', 1)[0]}/*`) ? 2 : 0;
}
