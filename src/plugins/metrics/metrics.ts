import { checkOptions } from '../../config/option-rules.ts';
import type { GatewayPlugin, MetricFamily, PluginHost } from '../../gateway/plugin.ts';
import { packageVersion } from '../../version.ts';
import { buildCatalogMetrics } from './catalog-metrics.ts';
import { buildEngineMetrics } from './engine-metrics.ts';
import { buildImportMetrics } from './import-metrics.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';
import { metricsRoute } from './metrics-route.ts';
import { processMetrics } from './process-metrics.ts';
import { buildRequestMetrics } from './request-metrics.ts';
import { buildResultMetrics } from './result-metrics.ts';
import { textFormat } from './text-format.ts';

/** The metrics of one gateway. */
export interface MetricsPlugin extends GatewayPlugin {
  /** All samples, those of other plug-ins too, in Prometheus' text format. */
  render(): string;
  /** The same as numbers. */
  families(): readonly MetricFamily[];
}

/**
 * Counts what the gateway does. `GET /metrics` has it in Prometheus' text format, for keys with the permission `metrics`.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function metrics(options: Readonly<Record<string, never>> = {}): MetricsPlugin {
  checkOptions('metrics', options, {});
  const requests = buildRequestMetrics();
  const results = buildResultMetrics();
  const engine = buildEngineMetrics();
  const imports = buildImportMetrics();
  const catalog = buildCatalogMetrics();
  const keptEndpoints = openKeptEndpoints();
  let families: readonly MetricFamily[] = [];
  let extensions: readonly string[] = [];
  const render = () => textFormat([...families, ...processMetrics()]);
  const onCatalog: GatewayPlugin['onCatalog'] = (next) => {
    const kept = keptEndpoints(next);
    requests.replaceCatalog(next, extensions, kept);
    for (const one of [results, engine]) one.keepEndpoints(kept);
  };
  return {
    name: 'metrics',
    render,
    families: () => families,
    open(host) {
      // The delays of the event loop and the garbage collections are counted from now on, not from the first scrape.
      processMetrics();
      extensions = host.renderers.names;
      onCatalog(host.catalog);
      families = distinct(host, [
        ...requests.families,
        ...results.families(host.results),
        ...engine.families,
        ...imports.families,
        ...catalog.families(host.state),
        buildInfo(host.engine),
        ...host.families(),
      ]);
    },
    routes: () => [metricsRoute(render)],
    onCatalog,
    onReload: catalog.recordReload,
    onResult: results.record,
    onSent: requests.record,
    onStreamed: ({ path }, bytes) => requests.addBytes(path, bytes),
    onRun: engine.openRun,
    onImport: imports.record,
  };
}

/** Prometheus refuses all that it reads if two have one name: the first stays. */
function distinct({ log }: PluginHost, families: readonly MetricFamily[]): readonly MetricFamily[] {
  const names = new Set(processMetrics().map(({ name }) => name));
  return families.filter(({ name }) => {
    const isTaken = names.has(name);
    if (isTaken) log.error({ metric: name }, 'the metric of a plug-in is left out: its name is taken');
    names.add(name);
    return !isTaken;
  });
}

/** Which build runs, as the labels of a metric whose value is always 1. */
const buildInfo = (engine: string): MetricFamily => ({
  name: 'querygate_build_info',
  help: 'The version of the gateway and of Node, and the engine; always 1.',
  type: 'gauge',
  samples: () => [{ labels: { version: packageVersion(), node: process.versions.node, engine }, value: 1 }],
});
