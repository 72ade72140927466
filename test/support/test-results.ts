import { pino } from 'pino';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import type { Cost } from '../../src/engine-contract/engine.ts';
import type { MayRefresh } from '../../src/results/compute.ts';
import type { CachedResult } from '../../src/results/get-result.ts';
import { openResults, type Results } from '../../src/results/open-results.ts';
import { parseRows } from '../../src/results/result-document.ts';
import type { OpenSharedCache } from '../../src/results/shared/shared-cache.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type FakeEngine, type FakeEngineOptions, fakeEngine } from './fake-engine.ts';
import { draftQuery } from './queries.ts';

export interface TestResults extends Results {
  readonly clock: FakeClock;
  readonly engine: FakeEngine;
  readonly logged: readonly LogLine[];
  /** What `onCost` received. */
  readonly costs: readonly Cost[];
  /** Requests the one query of the catalog with this value of its parameter. */
  request(p?: string, options?: RequestOptions): Promise<CachedResult>;
}

interface LogLine {
  readonly msg: string;
  readonly endpoint?: string;
  readonly code?: string;
}

interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly noCache?: boolean;
  readonly owner?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface TestResultsOptions extends Partial<FakeEngineOptions> {
  readonly caching?: readonly string[];
  readonly sql?: string;
  /** The declaration of its parameter. */
  readonly parameter?: string;
  readonly clock?: FakeClock;
  readonly engine?: FakeEngine;
  readonly engineConcurrency?: number;
  readonly engineTimeoutMs?: number;
  readonly isOneEngine?: boolean;
  readonly memoryBytes?: number;
  readonly openShared?: OpenSharedCache;
  readonly mayRefresh?: MayRefresh;
}

export const warmed = ['caching: 900s', 'cache_warming: 300s'];

/** The cache over a fake engine, with a fake clock. */
export function openTestResults({
  caching = warmed,
  sql = 'select @p as x',
  parameter = '{ type: string, description: P. }',
  clock = fakeClock(),
  engine,
  engineConcurrency = 4,
  engineTimeoutMs = 30_000,
  isOneEngine = false,
  memoryBytes = 64_000_000,
  openShared,
  mayRefresh = () => true,
  ...engineOptions
}: TestResultsOptions = {}): TestResults {
  const parameters = { p: parameter };
  const query = draftQuery({ columns: { x: 'string' }, parameters, caching, sql });
  const usedEngine = engine ?? fakeEngine({ clock, ...engineOptions });
  const costs: Cost[] = [];
  const logged: LogLine[] = [];
  const results = openResults({
    catalog: { queries: [query], tables: [] },
    engine: usedEngine,
    engineConcurrency,
    engineTimeoutMs,
    isOneEngine,
    memoryBytes,
    openShared,
    mayRefresh,
    clock,
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) }),
    onCost: (_, cost) => costs.push(cost),
  });
  return {
    ...results,
    clock,
    engine: usedEngine,
    costs,
    logged,
    request: async (p = '', { signal = new AbortController().signal, noCache = false, labels, owner } = {}) =>
      results.get(
        { ...bind(query, plainParameters({ p }), clock.now().getTime()), ...(labels && { labels }) },
        { caller: { signal }, noCache, owner },
      ),
  };
}

/** How a result was obtained, and its rows. */
export function summary({ document, cacheStatus }: CachedResult): readonly unknown[] {
  return [cacheStatus, ...parseRows(document).map(({ x }) => x)];
}
