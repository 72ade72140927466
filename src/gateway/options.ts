import type { Logger } from 'pino';
import type { Clock } from '../concurrency/clock.ts';
import { type AddressList, addressTexts, parseAddressList } from '../config/address-list.ts';
import { basePathRule, parseBasePath } from '../config/base-path.ts';
import {
  cacheMemory,
  engineLimits,
  type NumberRule,
  numberText,
  waitingForEach,
} from '../config/engine-limits.ts';
import { originsProblem, parseOrigin } from '../config/web-origins.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import type { KeySource } from '../keys/key-source.ts';
import { type Problem, StartError } from '../errors.ts';
import type { HideEndpoints } from '../keys/principal.ts';
import type { KeyFunction } from '../keys/sources/key-function.ts';
import type { Tracer } from '../trace/span.ts';
import type { GatewayPlugin } from './plugin.ts';
import type { FilesReport } from './reload/broken-files.ts';
import type { QuerySource } from './reload/query-source.ts';
import type { SharedStore } from '../results/shared/shared-store.ts';

/** How results are kept. */
export interface CacheOptions {
  /** Bytes of results in memory, at least 1,000. Default: 64,000,000. */
  readonly memoryBytes?: number;
  /** Where gateways share results, and the rates of callers: `redis({ url, secret })`. Default: not shared. */
  readonly shared?: SharedStore | undefined;
}

/** Who may call: one source or several, of which the first that knows a request decides. A function may be one of them. */
export type Keys = KeySource | KeyFunction | readonly (KeySource | KeyFunction)[];

/** The parts of a gateway. Nothing is read from the environment. */
export interface GatewayOptions {
  /** The folder of saved queries, from the working folder; or what reads and follows queries that are not files. */
  readonly queries: string | QuerySource;
  /** Where the SQL runs: `duckdb({ … })`, `bigquery({ … })`, or an engine of your own. */
  readonly engine: EngineFactory;
  /** Who may call: `keyFile(…)`, `apiKey(…)`, `jwt({ … })`, a function of the request, or several of these. */
  readonly keys: Keys;
  /** How results are kept. Default: in memory, not shared. */
  readonly cache?: CacheOptions;
  /** Plug-ins that serve more than REST and GraphQL; their hooks are called in this order. Default: nothing. */
  readonly plugins?: readonly GatewayPlugin[];
  /** True if changed queries and tables are served without a restart. Default: true. */
  readonly reload?: boolean;
  /** For which callers endpoints that they may not query do not seem to exist. Default: `tenants`. */
  readonly hideEndpoints?: HideEndpoints;
  /** True if GraphQL introspection is allowed. Default: true. */
  readonly introspection?: boolean;
  /** The file of the only GraphQL documents that are answered. Default: any document is. */
  readonly trustedDocuments?: string | undefined;
  /**
   * Proxies whose X-Forwarded-For is believed: addresses, ranges such as `10.0.0.0/8`, `loopback` or `private`. Default: none.
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Web origins, as in `https://dash.example.com`, that may read responses; `*` means any. Default: none. */
  readonly corsOrigins?: readonly string[] | '*';
  /**
   * The path below which callers reach the gateway, as in `/warehouse`: it begins the links in its answers, and is removed
   * from URLs in which a server has left it. Default: none.
   */
  readonly basePath?: string;
  /** How many queries run at the same time, from 1 to 64. Default: 4. */
  readonly engineConcurrency?: number;
  /** How many more queries may wait, from 0 to 100,000. Default: 25 for each of `engineConcurrency`. */
  readonly engineQueueLength?: number;
  /** Milliseconds of one run of a query, with its time in the queue, up to 3,600,000. Default: 30,000. */
  readonly engineTimeoutMs?: number;
  /** A logger of pino. Default: nothing is logged. */
  readonly log?: Logger;
  /** Writes a line of JSON to the log as it is; without it, `log` writes all. */
  readonly writeLine?: ((line: string) => void) | undefined;
  /** Exports traces; the gateway closes it. Default: none. */
  readonly tracer?: Tracer | undefined;
  /** The time, for the SQL's CURRENT_TIMESTAMP() and for answers. Durations are measured by it too: steps back do not count. */
  readonly now?: () => Date;
  /** Runs delayed work, as `setTimeout` does. */
  readonly after?: Clock['after'];
  /** Receives the progress of opening the engine, as one short line. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Receives files of the catalog that begin or cease to be broken, in place of the log. */
  readonly onFiles?: ((report: FilesReport) => void) | undefined;
  /** Called when the engine cannot run anything until the gateway is opened again. Default: it is logged. */
  readonly onUnusable?: ((error: Error) => void) | undefined;
}

/** The options that have a value in any case. */
export interface Settings {
  readonly engine: string;
  readonly engineConcurrency: number;
  readonly engineQueueLength: number;
  readonly engineTimeoutMs: number;
  readonly cacheMemoryBytes: number;
  readonly introspection: boolean;
  readonly corsOrigins: readonly string[] | '*';
  readonly trustedProxies: AddressList | undefined;
  /** Without a slash at its end; empty for the root. */
  readonly basePath: string;
}

/** @throws StartError with every wrong option */
export function settingsOf(options: GatewayOptions): Settings {
  const problems: Problem[] = [];
  const refuse = (name: string, value: unknown, right: string) =>
    problems.push({
      message: `${name}: got ${typeof value === 'number' ? value : JSON.stringify(value)}; must be ${right}`,
    });
  const numberOf = (name: string, rule: NumberRule, value = rule.byDefault) => {
    if (Number.isInteger(value) && value >= rule.min && value <= rule.max) return value;
    refuse(name, value, numberText(rule));
    return rule.byDefault;
  };
  const limitOf = (name: keyof typeof engineLimits, value = options[name]) =>
    numberOf(name, engineLimits[name], value);
  const { cache = {}, trustedProxies, corsOrigins = [], basePath = '' } = options;
  const origins = corsOrigins === '*' ? corsOrigins : corsOrigins.flatMap((one) => parseOrigin(one) ?? []);
  const right = "'*' or origins, as in https://dash.example.com";
  const wrong = corsOrigins === '*' ? undefined : originsProblem(corsOrigins, corsOrigins, right);
  if (wrong !== undefined) problems.push({ message: `corsOrigins: ${wrong}` });
  const proxies = trustedProxies && parseAddressList(trustedProxies);
  if (proxies === undefined && trustedProxies !== undefined)
    refuse('trustedProxies', trustedProxies, addressTexts);
  const wrongPath = basePathRule(basePath);
  if (wrongPath !== undefined) refuse('basePath', basePath, wrongPath);
  const engineConcurrency = limitOf('engineConcurrency');
  const settings = {
    engine: options.engine.name,
    engineConcurrency,
    engineQueueLength: limitOf(
      'engineQueueLength',
      options.engineQueueLength ?? waitingForEach * engineConcurrency,
    ),
    engineTimeoutMs: limitOf('engineTimeoutMs'),
    cacheMemoryBytes: numberOf('cache.memoryBytes', cacheMemory, cache.memoryBytes),
    introspection: options.introspection ?? true,
    corsOrigins: origins,
    trustedProxies: proxies,
    basePath: parseBasePath(basePath) ?? '',
  };
  if (problems.length > 0) throw new StartError('The options of the gateway have problems', problems);
  return settings;
}
