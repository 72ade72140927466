import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import type { Config } from '../config.ts';
import type { Engine, QueryCheck } from '../engine-contract/engine.ts';
import type { EngineHost } from '../engine-contract/engine-factory.ts';
import { limitsOf } from '../engines/checked-engine.ts';
import { configuredEngine } from './configured-engine.ts';
import { forecastCosts } from './forecast/forecast.ts';
import { type ForecastFlags, parseForecastLimits, requireBytes } from './forecast/forecast-limits.ts';
import { limitProblem, summaryOf } from './forecast/forecast-text.ts';
import { openSharing } from './sharing.ts';
import { isStoreInUse, storeInUseMessage } from './store-in-use.ts';

/**
 * The engine and data that the tools for authors work on, by the settings.
 *
 * @throws StartError if the engine is a module that exports none
 */
export async function openWorkspace(config: Config) {
  const engine = await configuredEngine(config);
  return {
    queriesDir: config.queriesDir,
    engine,
    limits: limitsOf(config),
    duckdb: config.duckdb,
    /** undefined if the engine reports no bytes. @throws StartError if an option is wrong */
    openForecast(flags: ForecastFlags) {
      const limits = parseForecastLimits(flags);
      if (!requireBytes(engine, flags)) return undefined;
      const { tenants } = limits;
      const { reservation } = config.bigquery;
      return async (catalog: AnalyzedCatalog, checks: readonly QueryCheck[]) => {
        const problemOfSharing = openSharing(catalog, engine);
        const given = { engine, limits: limitsOf(config), tenants, problemOfSharing, reservation, checks };
        return (await forecastCosts(catalog, given)).map((forecast) => ({
          query: forecast.query,
          summary: summaryOf(forecast),
          usdPerMonth: forecast.usdPerMonth,
          problem: limitProblem(forecast, limits),
        }));
      };
    },
    /** Opens the engine over its own data, which a gateway may use. @throws StartError */
    async openEngine(host: EngineHost): Promise<Engine> {
      try {
        return await engine.open(host);
      } catch (error) {
        if (!isStoreInUse(error)) throw error;
        host.events.problem(storeInUseMessage);
        const inMemory = { ...config, duckdb: { ...config.duckdb, storeFile: ':memory:' } };
        return (await configuredEngine(inMemory)).open(host);
      }
    },
  };
}
