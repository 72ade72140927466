import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { CatalogState } from '../http/handler/readiness.ts';
import { buildRequestMetrics, type RequestMetrics } from '../http/observe/request-metrics.ts';
import { buildInfo } from '../metrics/build-info.ts';
import { buildCatalogMetrics, type CatalogMetrics } from '../metrics/catalog-metrics.ts';
import { buildDeprecatedMetrics, type DeprecatedMetrics } from '../metrics/deprecated-metrics.ts';
import { buildEngineMetrics, type EngineMetrics } from '../metrics/engine-metrics.ts';
import { buildImportMetrics, type ImportMetrics } from '../metrics/import-metrics.ts';
import { openKeptEndpoints } from '../metrics/kept-endpoints.ts';
import { type Metrics, openRegistry } from '../metrics/open-registry.ts';
import { buildResultMetrics, type ResultMetrics, type ResultState } from '../metrics/result-metrics.ts';
import { buildShadowMetrics, type ShadowMetrics } from '../metrics/shadow-metrics.ts';
import type { Settings } from './options.ts';

/** What counts from the beginning, whether or not the metrics are served. */
export interface Collectors {
  readonly requests: RequestMetrics;
  readonly engine: EngineMetrics;
  readonly imports: ImportMetrics;
  readonly shadows: ShadowMetrics;
  readonly deprecated: DeprecatedMetrics;
}

export const buildCollectors = (catalog: Catalog, log: Logger, now: () => Date): Collectors => ({
  requests: buildRequestMetrics(catalog),
  engine: buildEngineMetrics(),
  imports: buildImportMetrics(now),
  shadows: buildShadowMetrics(),
  deprecated: buildDeprecatedMetrics(log, now),
});

interface AppMetricsOptions {
  readonly settings: Settings;
  readonly catalog: Catalog;
  readonly collectors: Collectors;
  readonly results: ResultState;
  /** Of the catalog that is served. */
  readonly state: () => CatalogState;
}

export interface AppMetrics {
  /** undefined if they are not served. */
  readonly registry: Metrics | undefined;
  readonly results: ResultMetrics;
  readonly catalog: CatalogMetrics;
  /** Drops the series of endpoints that were removed long ago. */
  replaceCatalog(catalog: Catalog): void;
}

export async function openAppMetrics(options: AppMetricsOptions): Promise<AppMetrics> {
  const { requests, engine, imports, shadows, deprecated } = options.collectors;
  const results = buildResultMetrics(options.results);
  const catalog = buildCatalogMetrics(() => {
    const { queries, broken, problem, loadedAt } = options.state();
    return { queries, problems: broken.length + Number(problem !== undefined), loadedAt };
  });
  const all = [requests, results, engine, imports, catalog, shadows, deprecated, buildInfo(options.settings)];
  const registry = options.settings.metrics
    ? await openRegistry(all.flatMap(({ families }) => families))
    : undefined;
  const keptEndpoints = openKeptEndpoints(namesOf(options.catalog));
  return {
    registry,
    results,
    catalog,
    replaceCatalog(next) {
      const kept = keptEndpoints(namesOf(next));
      requests.replaceCatalog(next, kept);
      for (const one of [results, engine, shadows, deprecated]) one.keepEndpoints(kept);
    },
  };
}

const namesOf = ({ queries }: Catalog) => queries.map(({ name }) => name);
