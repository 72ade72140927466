import type { EngineFactory } from '../../engine-contract/engine-factory.ts';
import { commandError, parseCount } from '../arguments.ts';

/** The options of commands that forecast costs, as given. */
export interface ForecastFlags {
  readonly maximumUsdPerMonth?: string;
  readonly tenants?: string;
  /** As `--maximum-bytes` gives it. */
  readonly maximumBytes?: string;
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

/**
 * @returns whether the engine reports what runs read
 * @throws StartError if it does not, and an option is about that
 */
export function requireBytes({ name, flags }: EngineFactory, given: ForecastFlags): boolean {
  if (flags?.reportsBytes) return true;
  const [option] = options.filter(([member]) => given[member] !== undefined);
  if (option === undefined) return false;
  throw commandError(
    `${option[1]}: ${name} reports no bytes, as BigQuery does; use it with --engine bigquery`,
  );
}

const options = [
  ['maximumUsdPerMonth', '--maximum-usd-per-month'],
  ['maximumBytes', '--maximum-bytes'],
  ['tenants', '--tenants'],
] as const;
