/**
 * Serves a folder of saved SQL as a typed GraphQL API and a REST API, inside of another program.
 *
 * @module
 */
export { createGateway, type Gateway } from './gateway/create-gateway.ts';
export type { CacheOptions, GatewayOptions, Keys } from './gateway/options.ts';
export type { SharedStore } from './results/shared/shared-store.ts';
export type { QuerySource, QueryTexts } from './gateway/reload/query-source.ts';
export type { FilesReport } from './gateway/reload/broken-files.ts';
export type { BrokenFile } from './catalog/folder/catalog-history.ts';
export type { HideEndpoints } from './keys/principal.ts';
export type { Counters } from './results/counters.ts';
export {
  type ErrorCode,
  GatewayError,
  type GatewayErrorOptions,
  type Problem,
  StartError,
} from './errors.ts';
export type { AnalyzedCatalog } from './catalog-analysis/analyze-catalog.ts';
export type { QueryAnalysis } from './catalog-analysis/analyze-query.ts';
export type { BoundQuery, BoundValues } from './catalog/binding/bind.ts';
export type { ResultColumn } from './catalog/model/header-types.ts';
export type { Catalog, Column, SavedQuery } from './catalog/model/saved-query.ts';
export type {
  CatalogUpdates,
  Cost,
  Engine,
  EngineListener,
  ImportReport,
  QueryCheck,
  Rows,
  RunOptions,
} from './engine-contract/engine.ts';
export type {
  CheckOptions,
  ColumnsOptions,
  EngineFactory,
  EngineFlags,
  EngineHost,
  EngineLimits,
  FixtureRows,
  Fixtures,
} from './engine-contract/engine-factory.ts';
export { limitRuns } from './engine-contract/limit-runs.ts';
export { rowsOf } from './engine-contract/rows-of.ts';
export type { Connection } from './http/node/fetch-adapter.ts';
