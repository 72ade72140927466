import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import type { Catalog } from '../../src/catalog/model/saved-query.ts';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import type { Config } from '../../src/config.ts';
import type { EngineListener } from '../../src/engine-contract/engine.ts';
import type { EngineHost } from '../../src/engine-contract/engine-factory.ts';
import { limitsOf } from '../../src/engines/checked-engine.ts';

interface HostOptions {
  readonly catalog: Catalog;
  readonly config: Config;
  readonly now?: () => Date;
  readonly events?: Partial<EngineListener>;
}

/** What a gateway with these settings gives an engine. */
export const engineHost = ({
  catalog,
  config,
  now = () => new Date(),
  events = {},
}: HostOptions): EngineHost => ({
  catalog: (config.engine === 'bigquery' ? buildAnalyze() : analyzed)(catalog),
  limits: limitsOf(config),
  now,
  events: { problem() {}, news() {}, ...events },
  turns: new LoopTurns(),
});

/** A catalog as an engine gets it that reads declared tables only. */
export const analyzed = buildAnalyze({ sql: 'bigquery' });
