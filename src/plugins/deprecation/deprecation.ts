import { checkOptions } from '../../config/option-rules.ts';
import type { GatewayPlugin, PluginHost } from '../../gateway/plugin.ts';
import { endpointPath } from '../../http/message/paths.ts';
import type { Reply } from '../../http/message/reply.ts';
import { buildDeprecatedUse } from './deprecated-use.ts';
import { buildHeadersOf, type HeadersOf } from './deprecation-headers.ts';

/**
 * Adds headers to replies of REST whose endpoint is deprecated. Operators see which keys still use it: a line of the log in an
 * hour for each key and endpoint, and a metric.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function deprecation(options: Readonly<Record<string, never>> = {}): GatewayPlugin {
  checkOptions('deprecation', options, {});
  const use = buildDeprecatedUse();
  let host: PluginHost | undefined;
  let headersOf: HeadersOf = () => ({});
  /** A reply that is sent again stays the same object, of which the headers are put together once. */
  let marked = new WeakMap<Reply, Reply>();
  const onCatalog: GatewayPlugin['onCatalog'] = (catalog) => {
    headersOf = buildHeadersOf(catalog, host?.basePath);
    marked = new WeakMap();
    use.keepEndpoints(catalog);
  };
  return {
    name: 'deprecation',
    metrics: use.families,
    open(opened) {
      host = opened;
      onCatalog(opened.catalog);
    },
    onCatalog,
    onReply({ results, path, caller }, reply) {
      let changed = reply;
      for (const { bound } of results) {
        const { deprecated } = bound.query;
        if (deprecated === undefined) continue;
        if (host !== undefined) use.record(bound.query, caller.keyId, host);
        // GraphQL says it in its schema.
        if (reply.status !== 200 || !path.startsWith(endpointPath)) continue;
        const added = headersOf(bound.query, deprecated);
        // A page of rows has links of its own.
        const links = [reply.headers.link, added.link].filter((link) => link !== undefined).join(', ');
        const headers = { ...reply.headers, ...added, ...(links !== '' && { link: links }) };
        changed = marked.get(reply) ?? { ...reply, headers };
        marked.set(reply, changed);
      }
      return changed;
    },
  };
}
