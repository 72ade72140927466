import { EndpointRequest } from '../../call/endpoint-request.ts';
import type { RawParameters } from '../../catalog/binding/bind.ts';
import { findQuery, lookUpQuery } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { unlessRefused } from '../../errors.ts';
import type { Renderers } from '../../formats/renderers.ts';
import { memoize } from '../../memoize.ts';
import { endpointPath } from '../message/paths.ts';
import { formatParameter } from '../rendering/requested-format.ts';
import {
  type AddressedEndpoint,
  decodeText,
  type EndpointAddress,
  type FormatOfUrl,
  type PreparedRequest,
} from '../message/prepared-request.ts';

/** The queries and formats that addresses of REST name. */
export interface Addressing {
  readonly catalog: Catalog;
  readonly renderers: Renderers;
}

/**
 * The query that the path of a request addresses, with or without an extension, and the format. Names have dots too:
 * the longest text that addresses a query is its address, so that a query named `logs.csv` is not the query `logs` as
 * CSV. The parameter precedes the extension.
 *
 * @throws GatewayError UNKNOWN_QUERY
 */
export function addressOf({ catalog, renderers }: Addressing, request: PreparedRequest): EndpointAddress {
  const address = addressText(request);
  const named = formatOfParameter(renderers, request.parameters ?? new Map());
  const query = lookUpQuery(catalog, address);
  if (query !== undefined) return { query, format: named };
  const format = named ?? renderers.named(address.slice(address.lastIndexOf('.') + 1)) ?? 'unknown extension';
  return { query: findQuery(catalog, withoutExtension(address, renderers)), format };
}

/** An ending that is not the extension of a format belongs to the name. */
export function withoutExtension(address: string, renderers: Renderers): string {
  const dot = address.lastIndexOf('.');
  return dot >= 0 && renderers.isExtension(address.slice(dot + 1)) ? address.slice(0, dot) : address;
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

/** The same query in another version of the catalog; undefined if the request means no query there. */
export const queryAt = memoize((renderers: Renderers) =>
  memoize(
    (request: PreparedRequest) =>
      (catalog: Catalog): SavedQuery | undefined =>
        unlessRefused(() => addressOf({ catalog, renderers }, request).query),
  ),
);
