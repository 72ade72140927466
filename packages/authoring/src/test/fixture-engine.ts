import type { AnalyzedCatalog, BoundQuery, EngineFactory, EngineLimits, Fixtures, Rows } from 'querygate';
import { LoopTurns } from 'querygate/catalog';
import { commandError } from '@querygate/bigquery-sql/command';

/** Saved queries over the rows of a test. */
export interface FixtureEngine {
  run(bound: BoundQuery, now: Date): Promise<Rows>;
  /** True if approximate aggregates give the same values in every run. */
  readonly isExact: boolean;
  close(): Promise<void>;
}

/** @throws ProblemError if the engine cannot run tests */
export function requireFixtures(engine: EngineFactory): NonNullable<EngineFactory['openFixtures']> {
  if (engine.openFixtures !== undefined) return engine.openFixtures;
  throw commandError(`${engine.name} cannot run over the rows of a test: the engine has no openFixtures`);
}

/** @throws ProblemError if a row or a file cannot be read */
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
