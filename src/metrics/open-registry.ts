import type { Metric, Registry } from 'prom-client';
import type { MetricFamily } from './metric-family.ts';

export interface Metrics {
  readonly contentType: string;
  /** All samples in Prometheus' text format. */
  render(): Promise<string>;
  close(): void;
}

/** Metrics of prom-client whose names break Prometheus' own rules: gauges that end in `_total`. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** How often the delay of the event loop is measured: an idle process wakes up for it. */
const delayResolutionMs = 100;

/** Opens the registry of all metrics: those given, and those of the process. */
export async function openRegistry(families: readonly MetricFamily[]): Promise<Metrics> {
  const library = await import('prom-client');
  const ofProcess = processRegistry(library);
  const registry = new library.Registry();
  for (const family of families) registry.registerMetric(asMetric(family));
  return {
    contentType: registry.contentType,
    render: async () => `${await registry.metrics()}\n${await ofProcess.metrics()}`,
    close: () => registry.clear(),
  };
}

let opened: Registry | undefined;

/** One for all registries: its observers of garbage collection and of the event loop cannot be removed. */
function processRegistry({ collectDefaultMetrics, Registry }: typeof import('prom-client')): Registry {
  if (opened !== undefined) return opened;
  opened = new Registry();
  collectDefaultMetrics({ register: opened, eventLoopMonitoringPrecision: delayResolutionMs });
  for (const name of misnamed) opened.removeSingleMetric(name);
  return opened;
}

/** The registry reads only these properties of a metric. */
function asMetric({ name, help, type, samples }: MetricFamily): Metric {
  const metric = {
    name,
    help,
    type,
    get: async () => ({ name, help, type, values: samples(), aggregator: 'sum' }),
  };
  return metric as unknown as Metric;
}
