import { publicNames } from 'querygate/catalog';
import { callers, type GatewayPlugin, options, replyJson } from 'querygate/plugins';

export function endpointNames({ limit = 100 }: { readonly limit?: number } = {}): GatewayPlugin {
  options.checkOptions('endpointNames', { limit }, { limit: options.wholeNumber({ min: 1, max: 1_000 }) });
  return {
    name: 'endpoint-names',
    routes: (catalog) => [
      {
        path: '/endpoints.json',
        access: 'key',
        answer(_head, _request, { principal }) {
          const visible = publicNames(catalog).filter(({ query }) => callers.mayQuery(principal, query));
          return replyJson(200, JSON.stringify(visible.slice(0, limit).map(({ name }) => name)));
        },
      },
    ],
  };
}
