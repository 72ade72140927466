import type { Config } from '../../config.ts';
import type { GatewayPlugin, PluginRoute } from '../../exports/plugins.ts';
import { GatewayError } from '../../index.ts';

/** Names the setting at the paths of what is off: a 404 alone looks like a wrong path. With pages, they say it of pages. */
export function featuresOff({ mcp, pages }: Config): GatewayPlugin {
  const mcpOff = 'MCP is off; start with MCP=on';
  const pagesOff = 'Pages are off, as they are by default in production; start with PAGES=on';
  const mcpPaths = mcp === undefined ? ['/mcp', '/mcp/**'] : [];
  const pagePaths = pages ? [] : ['/', '/queries/*', '/openapi', '/sql', '/agents', '/embed/*'];
  return {
    name: 'features that are off',
    routes: (_catalog, { basePath }) => [
      ...mcpPaths.map((path) => route(path, mcpOff)),
      ...pagePaths.map((path) =>
        route(path, `${pagesOff}. GraphQL is at ${basePath}/graphql, REST under ${basePath}/api/`),
      ),
    ],
  };
}

const route = (path: string, message: string): PluginRoute => ({
  path,
  methods: ['GET', 'POST'],
  access: 'public',
  answer() {
    throw new GatewayError('NOT_FOUND', message);
  },
});
