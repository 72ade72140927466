import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { AnalyzedCatalog } from '../../analysis/analyze-catalog.ts';
import { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Rows } from '../../engine/engine.ts';
import type { EngineFactory, EngineLimits, Fixtures } from '../../engine/engine-factory.ts';
import { commandError } from '../arguments.ts';

/** Saved queries over the rows of a test. */
export interface FixtureEngine {
  run(bound: BoundQuery, now: Date): Promise<Rows>;
  /** True if approximate aggregates give the same values in every run. */
  readonly isExact: boolean;
  close(): Promise<void>;
}

/** @throws StartError if the engine cannot run tests */
export function requireFixtures(engine: EngineFactory): NonNullable<EngineFactory['openFixtures']> {
  if (engine.openFixtures !== undefined) return engine.openFixtures;
  throw commandError(`${engine.name} cannot run over the rows of a test: the engine has no openFixtures`);
}

/** @throws StartError if a row or a file cannot be read */
export async function openFixtureEngine(
  engine: EngineFactory,
  catalog: AnalyzedCatalog,
  limits: EngineLimits,
  fixtures: Fixtures,
): Promise<FixtureEngine> {
  let now = new Date();
  const events = { problem: () => {}, news: () => {} };
  const host = { catalog, limits, now: () => now, events, turns: new LoopTurns() };
  const opened = await requireFixtures(engine)(host, fixtures);
  return {
    isExact: engine.flags?.approximates !== true,
    run(bound, moment) {
      now = moment;
      return opened.run(bound, { signal: new AbortController().signal });
    },
    close: () => opened.close(),
  };
}
