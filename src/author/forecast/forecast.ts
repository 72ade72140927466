import {
  type CachePolicy,
  followSeconds,
  type ParameterText,
  type SavedQuery,
} from '../../catalog/model/saved-query.ts';
import { exampleParameters } from '../../catalog/binding/example-parameters.ts';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { Partitioning, QueryCheck } from '../../engine-contract/engine.ts';
import type { EngineFactory, EngineLimits } from '../../engine-contract/engine-factory.ts';
import { countTables, mostBilled } from '../../plugins/costs/rounding.ts';
import type { ProblemOfSharing } from '../sharing.ts';
import { incrementForm } from './increment-form.ts';
import { pruningNotes } from './pruning-notes.ts';

/** The runs of a saved query with one set of values. */
export interface RunForecast {
  readonly parameters: Readonly<Record<string, ParameterText>>;
  /** At most; undefined if the engine does not say it. */
  readonly bytesBilled: number | undefined;
  /** While it is warm; undefined if each request is a run. */
  readonly runsPerDay: number | undefined;
  /** Those of them that read what has changed only; undefined if each reads all. */
  readonly increments?: { readonly bytesBilled: number; readonly runsPerDay: number } | undefined;
  readonly bytesPerMonth: number | undefined;
  /** undefined in a reservation, too: its bytes are not billed. */
  readonly usdPerMonth: number | undefined;
  /** While a client follows it, if that are more runs. */
  readonly followed?: Pick<RunForecast, 'runsPerDay' | 'bytesPerMonth' | 'usdPerMonth'> | undefined;
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
  const increments = await incrementForms([...forms.values()].flat(), catalog, engine);
  const checks = new Map(known.map((check) => [check.query, check]));
  const bytesOf = (form: SavedQuery | undefined) => form && checks.get(form)?.bytesProcessed;
  const all = [...[...forms.values()].flat(), ...increments.values()];
  const others = all.filter((form) => !checks.has(form));
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
        forecastRun(form, {
          bytes: bytesOf(form),
          ofIncrement: bytesOf(increments.get(form)),
          hasReservation,
        }),
      );
      const of = query.tenant === undefined ? 1 : tenants;
      const isOfMany = query.tenant !== undefined && Math.max(of, runs.length - 1) > 1;
      const isShareable = isOfMany && problemOfSharing(query) === undefined;
      const bytesPerMonth = monthOf(runs, query.tenant?.parameter, isShareable ? 'one run' : of);
      return {
        ...{ query, runs, tenants: of, isShared: isShareable && of > 1, bytesPerMonth },
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

/** The statements by which some of them are refreshed. */
async function incrementForms(
  forms: readonly SavedQuery[],
  catalog: AnalyzedCatalog,
  engine: ForecastOptions['engine'],
): Promise<ReadonlyMap<SavedQuery, SavedQuery>> {
  const found = await Promise.all(
    forms.map(async (form) => {
      const { caching } = form;
      const increment =
        caching === 'disabled'
          ? undefined
          : await incrementForm(form, refreshSeconds(caching), catalog, engine);
      return increment === undefined ? [] : [[form, increment] as const];
    }),
  );
  return new Map(found.flat());
}

const refreshSeconds = ({ warmingSeconds, ttlSeconds }: CachePolicy): number => warmingSeconds ?? ttlSeconds;

interface RunBytes {
  readonly bytes: number | undefined;
  readonly ofIncrement: number | undefined;
  readonly hasReservation: boolean;
}

function forecastRun(form: SavedQuery, bytes: RunBytes): RunForecast {
  const { caching } = form;
  const parameters = exampleParameters(form);
  if (caching === 'disabled') return { parameters, ...runsEach(undefined, form, bytes) };
  const seconds = refreshSeconds(caching);
  const follow = followSeconds(caching) ?? seconds;
  return {
    ...{ parameters, ...runsEach(seconds, form, bytes) },
    followed: follow < seconds ? runsEach(follow, form, bytes) : undefined,
  };
}

/** @param seconds between two runs; undefined if each request is one */
function runsEach(
  seconds: number | undefined,
  form: SavedQuery,
  { bytes, ofIncrement, hasReservation }: RunBytes,
): Omit<RunForecast, 'parameters'> {
  const billed = (read: number | undefined) =>
    read === undefined ? undefined : mostBilled(read, countTables(form) ?? 1);
  const bytesBilled = billed(bytes);
  const runsPerDay = seconds && secondsOfDay / seconds;
  const increments =
    runsPerDay === undefined ? undefined : incrementsOf(form, runsPerDay, billed(ofIncrement));
  const bytesPerDay =
    runsPerDay && bytesBilled !== undefined
      ? (runsPerDay - (increments?.runsPerDay ?? 0)) * bytesBilled +
        (increments === undefined ? 0 : increments.runsPerDay * increments.bytesBilled)
      : undefined;
  const bytesPerMonth = times(daysOfMonth, bytesPerDay);
  const usdPerMonth = hasReservation ? undefined : times(usdPerByte, bytesPerMonth);
  return { bytesBilled, runsPerDay, increments, bytesPerMonth, usdPerMonth };
}

/** All is read once in each `reconcile`. */
function incrementsOf(
  { incremental }: SavedQuery,
  runsPerDay: number,
  bytesBilled: number | undefined,
): RunForecast['increments'] {
  if (incremental === undefined || bytesBilled === undefined) return undefined;
  const full = Math.min(runsPerDay, secondsOfDay / incremental.reconcileSeconds);
  return { bytesBilled, runsPerDay: runsPerDay - full };
}

/** Values that are warm and differ in the tenant only are refreshed in one run, or in one for each tenant. */
function monthOf(
  [example, ...warm]: readonly RunForecast[],
  tenant = '',
  tenants: number | 'one run',
): number | undefined {
  const ofAll = (runs: readonly (RunForecast | undefined)[]) => {
    const months = runs.map((run) => run?.bytesPerMonth ?? Number.NaN);
    const most = Math.max(...months);
    if (tenants === 'one run') return most;
    return months.reduce(sum, Math.max(0, tenants - months.length) * most);
  };
  const groups = Map.groupBy(warm, ({ parameters }) => JSON.stringify({ ...parameters, [tenant]: '' }));
  const month = Math.max(ofAll([example]), [...groups.values()].map(ofAll).reduce(sum, 0));
  return Number.isNaN(month) ? undefined : month;
}

const sum = (a: number, b: number): number => a + b;

const times = (factor: number, value: number | undefined): number | undefined =>
  value === undefined ? undefined : factor * value;
