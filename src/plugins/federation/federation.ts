import { checkOptions } from '../../config/option-rules.ts';
import type { GatewayPlugin, PluginHost } from '../../gateway/plugin.ts';
import { buildExtendSchema } from './extend-schema.ts';

/**
 * Makes GraphQL a subgraph of Federation 2, and a source schema of composite schemas: entities, references to them in rows, and
 * the fields by which routers request both.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function federation(options: Readonly<Record<string, never>> = {}): GatewayPlugin {
  checkOptions('federation', options, {});
  let extend: ReturnType<typeof buildExtendSchema>;
  return {
    name: 'federation',
    open(host: PluginHost) {
      extend = buildExtendSchema(host);
    },
    extendSchema: (catalog, queries) => extend(catalog, queries),
  };
}
