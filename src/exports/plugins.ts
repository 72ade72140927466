/**
 * The plug-ins that serve more than REST and GraphQL, and the types for plug-ins of your own.
 *
 * @module
 */
export * as callers from './groups/of-callers.ts';
export * as following from './groups/of-following.ts';
export * as graph from './groups/of-graph.ts';
export * as helpers from './groups/helpers.ts';
export * as messages from './groups/of-messages.ts';
export * as names from './groups/of-names.ts';
export * as options from './groups/of-options.ts';
export * as parameters from './groups/of-parameters.ts';
export * as paths from './groups/of-paths.ts';
export * as results from './groups/of-results.ts';
export { packageVersion } from '../version.ts';
export type {
  Answering,
  GatewayPlugin,
  Labels,
  MetricFamily,
  PluginHost,
  ReloadOutcome,
  RouteHost,
  RunObserver,
  Sample,
} from '../gateway/plugin.ts';
export type { Audit } from '../http/access/audit.ts';
export { cellParts, plainText, type Rows } from '../formats/rows.ts';
export type { Part, Renderer, RenderTurn } from '../formats/renderer.ts';
export { Renderers } from '../formats/renderers.ts';
export type { Following } from '../http/following.ts';
export type { Exchange } from '../http/message/exchange.ts';
export type { RequestHead, TranslatedRequest } from '../http/message/head.ts';
export { EndpointRequest } from '../call/endpoint-request.ts';
export { type Reply, replyJson } from '../http/message/reply.ts';
export type { LogFields } from '../http/message/log-fields.ts';
export type { Answer, PluginRoute } from '../http/message/route.ts';
export type { Caller } from '../call/caller.ts';
export type { Call } from '../call/gate.ts';
export type { Obtained } from '../call/obtain.ts';
export { costs } from '../plugins/costs/costs.ts';
export { deprecation } from '../plugins/deprecation/deprecation.ts';
export { federation } from '../plugins/federation/federation.ts';
export { type GraphiqlOptions, graphiql } from '../plugins/pages/graphiql.ts';
export { increments } from '../plugins/increments/increments.ts';
export { type LivePlugin, live } from '../plugins/live/live.ts';
export { logflare } from '../plugins/logflare/logflare.ts';
export { type McpOptions, mcp } from '../plugins/mcp/mcp.ts';
export { type MetricsPlugin, metrics } from '../plugins/metrics/metrics.ts';
export { openMetricsServer } from '../plugins/metrics/metrics-server.ts';
export { openapi } from '../plugins/openapi/openapi.ts';
export { type PagesOptions, pages } from '../plugins/pages/pages.ts';
export { sharedRuns } from '../plugins/shared-runs/shared-runs.ts';
export { shadow } from '../plugins/shadow/open-shadows.ts';
