import { EndpointRequest } from '../../call/endpoint-request.ts';
import type { RawParameters } from '../../catalog/binding/bind.ts';
import { findQuery, lookUpQuery } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Renderers } from '../../formats/renderers.ts';
import { memoize } from '../../memoize.ts';
import { endpointPath } from '../message/paths.ts';
import {
  type AddressedEndpoint,
  decodeText,
  type EndpointAddress,
  type FormatOfUrl,
  type PreparedRequest,
} from '../message/prepared-request.ts';

/** The parameter that names a format. */
export const formatParameter = 'format';

/** What addresses of REST mean. */
export interface Addressing {
  readonly catalog: Catalog;
  readonly renderers: Renderers;
}

/**
 * Finds the query of a REST path, with or without an extension. Names have dots too: the longest text that addresses a query
 * is its address, so that a query named `logs.csv` is not the query `logs` as CSV. An ending that is not the extension of a format
 * belongs to the name. The parameter precedes the extension.
 *
 * @throws GatewayError UNKNOWN_QUERY
 */
export function findEndpoint(
  { catalog, renderers }: Addressing,
  address: string,
  parameters: RawParameters,
): EndpointAddress {
  const named = formatOfParameter(renderers, parameters);
  const query = lookUpQuery(catalog, address);
  if (query !== undefined) return { query, format: named };
  const dot = address.lastIndexOf('.');
  const extension = address.slice(dot + 1);
  const hasExtension = dot >= 0 && renderers.isExtension(extension);
  return {
    query: findQuery(catalog, hasExtension ? address.slice(0, dot) : address),
    format: named ?? renderers.named(extension) ?? 'unknown extension',
  };
}

function formatOfParameter(renderers: Renderers, parameters: RawParameters): FormatOfUrl | undefined {
  const values = parameters.get(formatParameter) ?? [];
  if (values.length > 1) return 'repeated parameter';
  const [value = ''] = values;
  return value === '' ? undefined : (renderers.named(value) ?? 'unknown parameter');
}

export function addressedBy(addressing: Addressing, request: PreparedRequest): AddressedEndpoint {
  const { query, format } = addressOf(addressing, request);
  return { endpoint: new EndpointRequest(query, request.parameters ?? new Map()), format };
}

export const addressText = ({ url }: PreparedRequest): string =>
  decodeText(url.pathname.slice(endpointPath.length));

/** What the path of a request addresses, and in which format. @throws GatewayError UNKNOWN_QUERY */
export const addressOf = (addressing: Addressing, request: PreparedRequest): EndpointAddress =>
  findEndpoint(addressing, addressText(request), request.parameters ?? new Map());

/** The same query in another version of the catalog; undefined if the request means no query there. */
export const queryAt = memoize((renderers: Renderers) =>
  memoize((request: PreparedRequest) => (catalog: Catalog): SavedQuery | undefined => {
    try {
      return addressOf({ catalog, renderers }, request).query;
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
  }),
);
