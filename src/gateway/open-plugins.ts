import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Closers } from '../concurrency/closers.ts';
import { StartError } from '../errors.ts';
import type { Answer, PluginRoute } from '../http/message/route.ts';
import type { GatewayPlugin, MetricFamily, PluginHost } from './plugin.ts';

interface OpenPlugins {
  /** The routes of all plug-ins for a version of the catalog, those of a plug-in in one step. */
  routesOf(catalog: Catalog, rest: Answer): Generator<void, readonly PluginRoute[]>;
  /** @returns resolves when nothing of them uses queries that the version does not have */
  replaceCatalog(catalog: Catalog): Promise<unknown>;
}

/** @throws StartError if two have one name; what `open` throws. `closers` has those that were opened, or tried to */
export async function openPlugins(
  plugins: readonly GatewayPlugin[],
  host: PluginHost,
  closers: Closers,
): Promise<OpenPlugins> {
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    const problem = { message: `plugins: two plug-ins are named ${twice}; leave one of them out` };
    throw new StartError('The gateway cannot start', [problem]);
  }
  const log = (plugin: GatewayPlugin, hook: string) => (err: unknown) =>
    host.log.error({ plugin: plugin.name, hook, err }, 'a plug-in has failed');
  const close = async (plugin: GatewayPlugin) => plugin.close?.();
  for (const plugin of plugins) {
    closers.push(() => close(plugin).catch(log(plugin, 'close')));
    await plugin.open?.(host);
  }
  return {
    *routesOf(catalog, rest) {
      const routes: PluginRoute[] = [];
      for (const plugin of plugins) {
        routes.push(...(plugin.routes?.(catalog, { ...host, rest }) ?? []));
        yield;
      }
      return routes;
    },
    replaceCatalog(catalog) {
      const replace = async (plugin: GatewayPlugin) => plugin.onCatalog?.(catalog);
      return Promise.all(plugins.map((plugin) => replace(plugin).catch(log(plugin, 'onCatalog'))));
    },
  };
}

/** The metrics of all plug-ins; those of one that fails have no samples. */
export const familiesOf = (plugins: readonly GatewayPlugin[], log: Logger): readonly MetricFamily[] =>
  plugins.flatMap((plugin) =>
    (plugin.metrics ?? []).map((family) => ({
      ...family,
      samples() {
        try {
          return family.samples();
        } catch (err) {
          log.error({ plugin: plugin.name, hook: family.name, err }, 'a plug-in has failed');
          return [];
        }
      },
    })),
  );
