import type { EngineFactory } from '../../engine-contract/engine-factory.ts';
import { commandError, parseCount } from '../arguments.ts';

/** The options of commands that forecast costs, as given. */
export interface ForecastFlags {
  readonly maximumUsdPerMonth?: string;
  readonly tenants?: string;
}

/** The most that a saved query may cost, for how many tenants. */
export interface ForecastLimits {
  /** undefined: any amount. */
  readonly maximumUsd: number | undefined;
  readonly tenants: number;
}

/** @throws StartError if an option is wrong */
export function parseForecastLimits({ maximumUsdPerMonth: usd, tenants }: ForecastFlags): ForecastLimits {
  if (usd !== undefined && !/^\d{1,9}(?:\.\d{1,9})?$/.test(usd))
    throw commandError(`--maximum-usd-per-month: got ${JSON.stringify(usd)}; must be a number, as in 49.5`);
  return {
    maximumUsd: usd === undefined ? undefined : Number(usd),
    tenants: parseCount('--tenants', tenants) ?? 1,
  };
}

/** @returns whether the engine reports what runs read @throws StartError if it does not, and there is a limit */
export function requireBytes({ name, flags }: EngineFactory, { maximumUsd }: ForecastLimits): boolean {
  const reportsBytes = flags?.reportsBytes ?? false;
  if (reportsBytes || maximumUsd === undefined) return reportsBytes;
  throw commandError(
    `--maximum-usd-per-month: ${name} reports no bytes, as BigQuery does; use it with --engine bigquery`,
  );
}
