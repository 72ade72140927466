import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { waitingTimers, within } from '../concurrency/clock.ts';
import type { Closers } from '../concurrency/closers.ts';
import { isThenable } from '../concurrency/thenable.ts';
import { StartError } from '../errors.ts';
import type { Following } from '../http/following.ts';
import type { ExtendSchema } from '../http/graphql/schema-extension.ts';
import type { NamedRoute } from '../http/message/route.ts';
import { labelName, metricName } from '../names/prometheus-names.ts';
import { checkRoutes } from './plugin-checks/check-plugins.ts';
import { joinExtensions } from './plugin-checks/join-extensions.ts';
import type { Answering, GatewayPlugin, MetricFamily, PluginHost, Sample } from './plugin.ts';

interface OpenPlugins {
  /** The routes of all plug-ins for a version of the catalog, those of a plug-in in one step. */
  routesOf(catalog: Catalog, answering: Answering): Generator<void, readonly NamedRoute[]>;
  /** Extends schemas as all plug-ins do; undefined if none does. */
  readonly extendSchema: ExtendSchema | undefined;
  /** That of the plug-in that has it: there is at most one. */
  readonly following: Following | undefined;
  endStreams(): void;
  /** @returns resolves when nothing of them uses queries that the version does not have */
  replaceCatalog(catalog: Catalog): Promise<unknown>;
}

/** Those of all open gateways that were given one: what they keep is of that gateway's callers. */
const inUse = new WeakSet<GatewayPlugin>();

/** How long a plug-in may take to close. */
const closeTimeoutMs = 3_000;

/**
 * @throws StartError if two have one name, another gateway uses one, or one fails. `closers` has those that were opened, or tried to
 */
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
  const used = plugins.flatMap((plugin, at) => {
    const message = `plugins[${at}] (${plugin.name}): is used by another gateway; make one for each`;
    return inUse.has(plugin) ? [{ message }] : [];
  });
  if (used.length > 0) throw new StartError('The gateway cannot start', used);
  const opening = plugins.filter(({ open }) => open !== undefined);
  for (const plugin of opening) inUse.add(plugin);
  closers.push(() => {
    for (const plugin of opening) inUse.delete(plugin);
  });
  const log = (plugin: GatewayPlugin, hook: string) => (err: unknown) =>
    host.log.error({ plugin: plugin.name, hook, err }, 'a plug-in has failed');
  const fail = (plugin: GatewayPlugin, hook: string, error: unknown): never => {
    if (error instanceof StartError) throw error;
    log(plugin, hook)(error);
    const message = error instanceof Error ? error.message : String(error);
    throw new StartError('A plug-in has failed', [{ message: `${plugin.name}, ${hook}: ${message}` }]);
  };
  for (const plugin of plugins) {
    closers.push(() => close(plugin).catch(log(plugin, 'close')));
    try {
      await plugin.open?.(host);
    } catch (error) {
      fail(plugin, 'open', error);
    }
  }
  return {
    *routesOf(catalog, answering) {
      const routes: NamedRoute[] = [];
      for (const plugin of plugins) {
        try {
          const given = arrayOf(plugin.routes?.(catalog, { ...host, ...answering }) ?? []);
          checkRoutes(plugin, given);
          routes.push(...given.map((route) => ({ plugin: plugin.name, route })));
        } catch (error) {
          fail(plugin, 'routes', error);
        }
        yield;
      }
      return routes;
    },
    following: plugins.find(({ following }) => following !== undefined)?.following,
    endStreams() {
      for (const plugin of plugins)
        try {
          plugin.endStreams?.();
        } catch (error) {
          log(plugin, 'endStreams')(error);
        }
    },
    extendSchema: joinExtensions(plugins, (plugin, error) => fail(plugin, 'extendSchema', error)),
    replaceCatalog(catalog) {
      const replace = async (plugin: GatewayPlugin) => plugin.onCatalog?.(catalog);
      return Promise.all(plugins.map((plugin) => replace(plugin).catch(log(plugin, 'onCatalog'))));
    },
  };
}

/** Checks that a hook returned an array. A promise, as an `async` function gives it, must not fail unnoticed. */
function arrayOf<T>(returned: readonly T[]): readonly T[] {
  if (Array.isArray(returned)) return returned;
  if (isThenable(returned)) Promise.resolve(returned).catch(() => {});
  throw new TypeError('it must return an array');
}

async function close(plugin: GatewayPlugin): Promise<void> {
  const late = () => new Error(`it has not resolved within ${closeTimeoutMs / 1_000} s`);
  await within(waitingTimers, closeTimeoutMs, Promise.resolve(plugin.close?.()), late);
}

/** The metrics of all plug-ins; those of one that fails have no samples. */
export const familiesOf = (plugins: readonly GatewayPlugin[], log: Logger): readonly MetricFamily[] =>
  plugins.flatMap((plugin) =>
    (plugin.metrics ?? []).map((family) => ({
      ...family,
      samples() {
        try {
          return arrayOf(family.samples()).map(checkedSample);
        } catch (err) {
          log.error({ plugin: plugin.name, hook: family.name, err }, 'a plug-in has failed');
          return [];
        }
      },
    })),
  );

/** Prometheus refuses all that it reads for one wrong line. */
function checkedSample({ labels, ...sample }: Sample): Sample {
  const { value, metricName: name } = sample;
  if (typeof value !== 'number') throw new TypeError('the value of a sample must be a number');
  const wrong = [
    ...(name === undefined || metricName.test(name) ? [] : [name]),
    ...Object.keys({ ...labels }).filter((one) => !labelName.test(one)),
  ];
  if (wrong.length > 0) throw new TypeError(`${JSON.stringify(wrong[0])} is not a name of Prometheus`);
  const texts = Object.entries({ ...labels }).map(([label, text]) => [label, String(text)]);
  return { ...sample, labels: Object.fromEntries(texts) };
}
