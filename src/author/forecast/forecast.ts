import type { ParameterText, SavedQuery } from '../../catalog/model/saved-query.ts';
import { exampleParameters } from '../../catalog/binding/example-parameters.ts';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { Partitioning, QueryCheck } from '../../engine-contract/engine.ts';
import type { EngineFactory, EngineLimits } from '../../engine-contract/engine-factory.ts';
import { countTables, mostBilled } from '../../plugins/costs/budgets/rounding.ts';
import type { ProblemOfSharing } from '../sharing.ts';
import { pruningNotes } from './pruning-notes.ts';

/** The runs of a saved query with one set of values. */
export interface RunForecast {
  readonly parameters: Readonly<Record<string, ParameterText>>;
  /** At most; undefined if the engine does not say it. */
  readonly bytesBilled: number | undefined;
  /** While it is warm; undefined if each request is a run. */
  readonly runsPerDay: number | undefined;
  readonly bytesPerMonth: number | undefined;
  /** undefined in a reservation, too: its bytes are not billed. */
  readonly usdPerMonth: number | undefined;
}

/** The cost of a saved query while it is warm. */
export interface Forecast {
  readonly query: SavedQuery;
  /** That with the examples first, then the values that are warm from the start on. */
  readonly runs: readonly RunForecast[];
  /** How many tenants it is for; 1 for a query without a tenant. */
  readonly tenants: number;
  /** True if one run refreshes all of them. */
  readonly isShared: boolean;
  /** Of all tenants, each with what is warm from the start on, or the examples if they cost more. */
  readonly bytesPerMonth: number | undefined;
  readonly usdPerMonth: number | undefined;
  /** The reasons why BigQuery reads no less, a sentence each. */
  readonly notes: readonly string[];
}

interface ForecastOptions {
  readonly engine: EngineFactory & Required<Pick<EngineFactory, 'check'>>;
  readonly limits: EngineLimits;
  readonly tenants: number;
  readonly problemOfSharing: ProblemOfSharing;
  /** Where BigQuery runs queries that do not say it. */
  readonly reservation: string | undefined;
  /** Those that have been checked, and how their tables are partitioned. */
  readonly checks?: readonly QueryCheck[];
  readonly partitions?: Map<string, Partitioning>;
}

const daysOfMonth = 30;
const secondsOfDay = 86_400;

/** The list price of 2026, on demand. @see https://cloud.google.com/bigquery/pricing#on-demand */
const usdPerByte = 6.25 / 2 ** 40;

/** Dry runs queries with their examples and with the values that are warm from the start on. */
export async function forecastCosts(
  catalog: AnalyzedCatalog,
  options: ForecastOptions,
): Promise<readonly Forecast[]> {
  const { engine, limits, tenants, problemOfSharing, reservation } = options;
  const { checks: known = [], partitions = new Map() } = options;
  const forms = new Map(
    catalog.queries.map((query) => [query, [query, ...query.warm.map(withValues(query))]]),
  );
  const checks = new Map(known.map((check) => [check.query, check]));
  const others = [...forms.values()].flat().filter((form) => !checks.has(form));
  if (others.length > 0)
    await engine.check(
      { ...catalog, queries: others },
      {
        limits,
        maximumBytes: Number.MAX_SAFE_INTEGER,
        onChecked: (check) => void checks.set(check.query, check),
        onPartitioning: (table, partitioning) => void partitions.set(table, partitioning),
      },
    );
  return Promise.all(
    catalog.queries.map(async (query): Promise<Forecast> => {
      const hasReservation = (query.reservation ?? reservation) !== undefined;
      const runs = (forms.get(query) ?? []).map((form) =>
        forecastRun(form, checks.get(form)?.bytesProcessed, hasReservation),
      );
      const of = query.tenant === undefined ? 1 : tenants;
      const isShared = of > 1 && problemOfSharing(query) === undefined;
      const bytesPerMonth = times(isShared ? 1 : of, monthOf(runs));
      return {
        ...{ query, runs, tenants: of, isShared, bytesPerMonth },
        usdPerMonth: hasReservation ? undefined : times(usdPerByte, bytesPerMonth),
        notes: await pruningNotes(query, partitions),
      };
    }),
  );
}

/** The same query, with other examples. */
const withValues =
  (query: SavedQuery) =>
  (values: SavedQuery['warm'][number]): SavedQuery => ({
    ...query,
    parameters: query.parameters.map((parameter) => ({ ...parameter, example: values[parameter.name] })),
  });

function forecastRun(form: SavedQuery, bytes: number | undefined, hasReservation: boolean): RunForecast {
  const bytesBilled = bytes === undefined ? undefined : mostBilled(bytes, countTables(form) ?? 1);
  const { caching } = form;
  const runsPerDay =
    caching === 'disabled' ? undefined : secondsOfDay / (caching.warmingSeconds ?? caching.ttlSeconds);
  const bytesPerMonth = runsPerDay && times(runsPerDay * daysOfMonth, bytesBilled);
  return {
    ...{ parameters: exampleParameters(form), bytesBilled, runsPerDay, bytesPerMonth },
    usdPerMonth: hasReservation ? undefined : times(usdPerByte, bytesPerMonth),
  };
}

function monthOf([example, ...warm]: readonly RunForecast[]): number | undefined {
  const sum = warm.reduce<number | undefined>(
    (total, { bytesPerMonth }) =>
      total !== undefined && bytesPerMonth !== undefined ? total + bytesPerMonth : undefined,
    0,
  );
  const one = example?.bytesPerMonth;
  return sum === undefined || one === undefined ? undefined : Math.max(sum, one);
}

const times = (factor: number, value: number | undefined): number | undefined =>
  value === undefined ? undefined : factor * value;
