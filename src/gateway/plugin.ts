import type { Sandbox } from '@querygate/bigquery-sql/sandbox';
import type { Logger } from 'pino';
import type { OpenAnswers } from '../answers/answers.ts';
import type { Derivation, DerivedQuery } from '../catalog-analysis/derived/derive-query.ts';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Engine, ImportReport, Refresh, Rows, RunOptions } from '../engine-contract/engine.ts';
import type { Renderer } from '../formats/renderer.ts';
import type { Renderers } from '../formats/renderers.ts';
import type { GatewayError } from '../errors.ts';
import type { Audit } from '../http/access/audit.ts';
import type { RejectKeys } from '../http/access/reject-keys-in-urls.ts';
import type { LaterCaller } from '../http/access/later-caller.ts';
import type { Following } from '../http/following.ts';
import type { ExtendSchema } from '../http/graphql/schema-extension.ts';
import type { CatalogState } from '../http/handler/readiness.ts';
import type { Exchange } from '../http/message/exchange.ts';
import type { RequestHead, TranslatedRequest } from '../http/message/head.ts';
import type { EndpointAddress, PreparedRequest } from '../http/message/prepared-request.ts';
import type { Reply } from '../http/message/reply.ts';
import type { LogFields } from '../http/message/log-fields.ts';
import type { Answer, PluginRoute } from '../http/message/route.ts';
import type { Caller } from '../call/caller.ts';
import type { EndpointRequest } from '../call/endpoint-request.ts';
import type { Call } from '../call/gate.ts';
import type { Obtained } from '../call/obtain.ts';
import type { Hints } from '../row-arguments/reading/argument-reader.ts';
import type { Principal } from '../keys/principal.ts';
import type { Counters } from '../results/counters.ts';
import type { Follow } from '../results/followers.ts';
import type { CachedResult } from '../results/get-result.ts';
import type { SharedStore } from '../results/shared/shared-store.ts';

/**
 * Adds something to a gateway. Every member but the name is optional, and a member that no plug-in has costs nothing.
 * Hooks of one kind are called in the order of the list `plugins`.
 *
 * A hook that throws a `GatewayError` refuses the request where that is said. Any other error is a defect of the plug-in: it
 * is logged with the plug-in's name, and the request goes on as if the plug-in had not been there. Only in `onRequest`, which
 * may guard something, it refuses the request too, with INTERNAL.
 */
export interface GatewayPlugin {
  /** For the log, unique in a gateway. */
  readonly name: string;
  /** Called once, before the first request. An error ends the start. */
  open?(host: PluginHost): void | Promise<void>;
  /**
   * Routes of one version of the catalog, made when the gateway opens and whenever saved queries have changed. It must take
   * no longer than some milliseconds: requests wait. A route of a plug-in precedes one of the gateway.
   */
  routes?(catalog: Catalog, host: RouteHost): readonly PluginRoute[];
  /**
   * Further types and fields of GraphQL, for each version of the catalog, and for each part of one that some callers see. It must
   * take no longer than some milliseconds: requests wait.
   */
  extendSchema?: ExtendSchema;
  /** Another version of the catalog is served. @returns may resolve when nothing uses queries that it does not have */
  onCatalog?(catalog: Catalog): void | Promise<void>;
  /** The files of the catalog were taken up: all of them, some of them, or none. */
  onReload?(outcome: ReloadOutcome): void;
  /** The request as the gateway is to see it, before its URL is parsed, checked or logged; the same object if nothing changes. */
  translate?(head: RequestHead): TranslatedRequest;
  /**
   * A request that was admitted to its route; if that needs a key, `exchange.caller.keyId` is known.
   *
   * @throws GatewayError refuses the request
   */
  onRequest?(exchange: Exchange): void | Promise<void>;
  /** A result that a caller gets, from the cache or not; a GraphQL request may have several. @throws GatewayError refuses it */
  onResult?(bound: BoundQuery, result: CachedResult): void;
  /**
   * The reply, errors too, before the headers that every response has. A changed one is a new object, which may be made by
   * spreading this one; if its body is another one, its `content-length` is set. A plug-in may add and
   * delete it in `open` and in `onCatalog`.
   *
   * @throws GatewayError is replied in its place
   */
  onReply?(exchange: Exchange, reply: Reply): Reply;
  /**
   * Further fields of the line `request` of the log, if there are any. A name that the line has already is left out. A frozen
   * object is checked once.
   */
  logFields?(exchange: Exchange, reply: Reply): LogFields | undefined;
  /** The reply as it is sent: 304 without a body if the caller has it already. @param seconds since the request arrived */
  onSent?(exchange: Exchange, reply: Reply, seconds: number): void;
  /** A body whose length was not known before has been sent. */
  onStreamed?(exchange: Exchange, bytes: number): void;
  /** A run of the engine begins to wait for its turn. @returns receives what becomes of it */
  onRun?(bound: BoundQuery, options: RunOptions): RunObserver | undefined;
  /**
   * Runs a query in place of the engine: it calls `run`, perhaps with other options, or refuses. The run ends as it does, also
   * with an error that is not a `GatewayError`. The hook of the first plug-in is called first.
   *
   * @param options as in `onRun`; `payer` is the key whose request it is
   * @param run takes another query too, which the hooks of later plug-ins get: a form of the same one, as `derive` gives it
   */
  aroundRun?(
    bound: BoundQuery,
    options: RunOptions,
    run: (options: RunOptions, other?: BoundQuery) => Promise<Rows>,
  ): Promise<Rows>;
  /** By how much the interval of a query's refreshes grows, from its next result on; 1 if it stays as it is. */
  paceOf?(bound: BoundQuery): number;
  /** True if a result is refreshed with others of its query, at the same moment of the interval. */
  refreshesTogether?(bound: BoundQuery): boolean;
  /** Called before a refresh. @returns false if another gateway makes it: its result is looked for a second later */
  mayRefresh?(bound: BoundQuery, refresh: Refresh): boolean | Promise<boolean>;
  /** The engine has looked for rows to import. */
  onImport?(report: ImportReport): void;
  /** Further forms of rows, for REST: each is one more value of `?format=`, extension, and media type of `Accept`. */
  readonly renderers?: readonly Renderer[];
  /** Its metrics, for the plug-in that serves those of all. */
  readonly metrics?: readonly MetricFamily[];
  /** Answers callers who want to know of later results too; one plug-in of a gateway may have it. */
  readonly following?: Following;
  /** Answers that last are to end now, before the gateway closes: their callers come back after some seconds. */
  endStreams?(): void;
  /** Called once, when the gateway closes or cannot open; the plug-in opened last is closed first. */
  close?(): Promise<void>;
}

/** The parts of its gateway that a plug-in may use. */
export interface PluginHost {
  /** The logger of the gateway. */
  readonly log: Logger;
  /** Where callers reach the gateway, as in `/warehouse`; empty for the root. It comes before every path in a link. */
  readonly basePath: string;
  /** The time, and delayed work. */
  readonly clock: Clock;
  /** For work of more than some milliseconds: it takes turns with the requests. */
  readonly turns: LoopTurns;
  /** Where gateways share what they keep; undefined for a gateway by itself. */
  readonly shared: SharedStore | undefined;
  /** The version of the catalog that is served first. */
  readonly catalog: Catalog;
  /** The forms of rows that REST has, those of plug-ins too. */
  readonly renderers: Renderers;
  /** The name of the engine. */
  readonly engine: string;
  /** True if its SQL takes the current time from a clock of its own, and not from the wave of a run. */
  readonly hasOwnClock: boolean;
  /** How many queries run at the same time. */
  readonly engineConcurrency: number;
  /** Milliseconds. */
  readonly engineTimeoutMs: number;
  /** True for a text that is a key or a token, or looks like one. */
  isKeyText(text: string): boolean;
  /** Keeps keys out of parameters that are not those of a URL. @throws GatewayError BAD_REQUEST if a value is a key */
  readonly rejectKeys: RejectKeys;
  /** The error that a caller may see. Details that only operators may know are logged, with the id of the request. */
  shown(error: unknown, head: Pick<RequestHead, 'trace'>): GatewayError;
  /** Runs a query past the cache. @throws GatewayError as `Engine.run` does */
  run(bound: BoundQuery, options: RunOptions): Promise<Rows>;
  /** A statement made from a saved query of the version that is served, in a turn of the event loop. */
  derive(query: SavedQuery, derivation: Derivation): Promise<DerivedQuery>;
  /** As `Engine.changes`; undefined if the engine does not have it. */
  readonly changes: Engine['changes'] | undefined;
  /** As `Engine.estimateBytes`; undefined if the engine does not have it. */
  readonly estimateBytes: Engine['estimateBytes'] | undefined;
  /**
   * A saved query as a caller may run it now, for a route that answers in a form of its own. Keep the
   * `EndpointRequest` for equal requests: it is bound once.
   *
   * @throws GatewayError as REST does for the same request; a refusal is in the log by then
   */
  open(endpoint: EndpointRequest, caller: Caller): Promise<Call>;
  /**
   * The rows of a call, with the row arguments and the page that its parameters name as those of REST do.
   *
   * @param hints for messages
   * @throws GatewayError as REST does for the same request
   */
  obtain(call: Call, hints?: Hints): Promise<Obtained>;
  /** The whole result of a call that is to be followed: the cache keeps it warm for no longer than that. @throws GatewayError as above */
  obtainFollowed(call: Call): Promise<CachedResult>;
  /** A call at another time than that of its request, by the rights that its caller has then. @throws GatewayError as above */
  reopen(endpoint: EndpointRequest, principal: Principal): Call;
  /** Finds the caller of a request again while it is answered. */
  callerOf(head: RequestHead): LaterCaller;
  /** True if a plug-in of the gateway has `following`. */
  readonly canFollow: boolean;
  /** Keeps results refreshed, and shows each of them. */
  readonly follow: Follow;
  /** Counts and state of the cache. */
  readonly results: ResultState;
  /** The catalog that is served, compared with its files. */
  state(): CatalogState;
  /** Those of all plug-ins. */
  families(): readonly MetricFamily[];
}

/** The parts of the gateway that answer the requests of one version of the catalog. */
export interface Answering {
  /** Answers requests of REST for this version. */
  readonly rest: Answer;
  /** Which of its replies are kept, for a route that answers as it does. */
  readonly isRestKept: NonNullable<PluginRoute['isKept']>;
  /** The endpoint that the path of a REST request addresses, and the format. @throws GatewayError UNKNOWN_QUERY */
  addressOf(request: PreparedRequest): EndpointAddress;
  /** Opens a store of finished answers for this version: what is made of results is found again while they are current. */
  readonly openAnswers: OpenAnswers;
  /** The rules for callers' SQL over a saved query of this version; undefined if the query takes none. */
  readonly sandboxOf: (query: SavedQuery) => Sandbox | undefined;
  /** Logs an error that refuses the caller something. An error that a route throws needs no call. */
  readonly audit: Audit;
}

/** The same while the routes of one version of the catalog are made. */
export interface RouteHost extends PluginHost, Answering {}

/** The outcome of a look at changed files: all are served, or some are broken, or the new version could not be made. */
export type ReloadOutcome = 'ok' | 'partial' | 'failed';

/** Follows one run of the engine. */
export interface RunObserver {
  /** It has left the queue; called again if it is restarted. */
  onStart?(): void;
  /** @param rows undefined if it has failed */
  onEnd?(rows: Rows | undefined, error: unknown): void;
}

/** The state of the cache between requests and the engine. */
export interface ResultState {
  readonly counters: Readonly<Counters>;
  /** How many keys are kept warm. */
  hotKeys(): number;
  /** By how much the latest refresh is overdue, in milliseconds; 0 if none is. */
  refreshLagMs(): number;
  /** True while the shared cache can be written; undefined without one. */
  isSharedUp(): boolean | undefined;
}

/** Names and values of labels. Values come from closed sets: endpoints, codes, statuses; never from callers. */
export type Labels = Readonly<Record<string, string | number>>;

/** One number of a metric, with its labels. */
export interface Sample {
  /** If it is not the name of the family: `…_bucket`, `…_sum` and `…_count` of a histogram. */
  readonly metricName?: string;
  /** Distinguish it from the other samples of the metric. */
  readonly labels: Labels;
  /** In the unit that the name of the metric ends in: seconds, bytes. */
  readonly value: number;
}

/**
 * A metric with its samples, which are read from plain numbers at a scrape: counting is an addition, whatever the
 * number of labels.
 *
 * @see https://prometheus.io/docs/practices/naming/
 */
export interface MetricFamily {
  /** With its unit, as in `costs_bytes_total`. */
  readonly name: string;
  /** One sentence for people. */
  readonly help: string;
  /** As Prometheus names them. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Its numbers now; called at each scrape. */
  samples(): readonly Sample[];
}
