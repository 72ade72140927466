import { pino } from 'pino';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import type { Cost } from '../../src/engine/engine.ts';
import type { CachedResult } from '../../src/results/get-result.ts';
import { openResults, type Results } from '../../src/results/open-results.ts';
import { parseRows } from '../../src/results/result-document.ts';
import type { OpenSharedCache } from '../../src/results/shared-cache.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type FakeEngine, type FakeEngineOptions, fakeEngine } from './fake-engine.ts';
import { draftQuery } from './queries.ts';

export interface TestAnswers extends Results {
  readonly clock: FakeClock;
  readonly engine: FakeEngine;
  readonly logged: readonly LogLine[];
  /** What runs cost, as it was told. */
  readonly costs: readonly Cost[];
  /** Asks the one query of the catalog with this value of its parameter. */
  question(p?: string, options?: QuestionOptions): Promise<CachedResult>;
}

interface LogLine {
  readonly msg: string;
  readonly endpoint?: string;
  readonly code?: string;
}

interface QuestionOptions {
  readonly signal?: AbortSignal;
  readonly forced?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface TestAnswersOptions extends Partial<FakeEngineOptions> {
  readonly caching?: readonly string[];
  readonly sql?: string;
  readonly clock?: FakeClock;
  readonly engine?: FakeEngine;
  readonly engineConcurrency?: number;
  readonly memoryBytes?: number;
  readonly openShared?: OpenSharedCache;
}

export const warmed = ['caching: 900s', 'cache_warming: 300s'];

/** What stands between questions and an engine, over a fake engine and a fake clock. */
export function testAnswers({
  caching = warmed,
  sql = 'select @p as x',
  clock = fakeClock(),
  engine,
  engineConcurrency = 4,
  memoryBytes = 64_000_000,
  openShared,
  ...engineOptions
}: TestAnswersOptions = {}): TestAnswers {
  const parameters = { p: '{ type: string, description: P. }' };
  const query = draftQuery({ columns: { x: 'string' }, parameters, caching, sql });
  const used = engine ?? fakeEngine({ clock, ...engineOptions });
  const costs: Cost[] = [];
  const logged: LogLine[] = [];
  const answers = openResults({
    catalog: { queries: [query], tables: [] },
    engine: used,
    engineConcurrency,
    memoryBytes,
    openShared,
    clock,
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) }),
    onCost: (_, cost) => costs.push(cost),
  });
  return {
    ...answers,
    clock,
    engine: used,
    costs,
    logged,
    question: (p = '', { signal = new AbortController().signal, forced = false, labels } = {}) =>
      answers.get(
        { ...bind(query, plainParameters({ p })), ...(labels && { labels }) },
        { caller: { signal }, noCache: forced },
      ),
  };
}

/** The rows of an answer, and how it was obtained. */
export function told({ document: content, cacheStatus }: CachedResult): readonly unknown[] {
  return [cacheStatus, ...parseRows(content).map(({ x }) => x)];
}
