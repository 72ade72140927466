import { type Increment, planIncrement, type TimeRange } from '@querygate/bigquery-sql/derive';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type NarrowQuery, narrowQuery } from '../../catalog-analysis/derived/narrow-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { untilAborted } from '../../concurrency/abort.ts';
import type { EarlierRows, Rows, RunOptions, TableChanges } from '../../engine-contract/engine.ts';
import { DocumentRows } from '../../engine-contract/rows-document.ts';
import type { GatewayPlugin, PluginHost } from '../../gateway/plugin.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';
import { type BucketRow, bucketRows, bucketRowsOf } from './bucket-rows.ts';
import { type FullReason, IncrementMetrics } from './increment-metrics.ts';
import { moments, wholeWindow } from './moments.ts';
import { parseState, type RunState, stateText } from './state.ts';
import { WaveChanges } from './wave-changes.ts';

type Window = Extract<NarrowQuery, { problem?: undefined }>;
type IncrementalPolicy = NonNullable<SavedQuery['incremental']>;
type Run = (options: RunOptions, other?: BoundQuery) => Promise<Rows>;

/** One run of a query whose window can be narrowed. */
interface Refresh {
  readonly window: Window;
  readonly bound: BoundQuery;
  readonly options: RunOptions;
  readonly run: Run;
  readonly state: RunState;
}

/** A look at tables may be so old, while the moment of its result is that of the run. */
const oldestLookMs = 5_000;

/** For looks that the refreshes of a wave share: none of them ends one by leaving. */
const notAborted = new AbortController().signal;

/** The changes of tables whose engine cannot report them. */
const unknownChanges: TableChanges = { state: '', changed: undefined };

/**
 * Lets queries with `incremental: true` read only what has changed since their result before: the buckets of time that have
 * other rows, or another place in the time window. Where nothing has changed, nothing is read.
 *
 * @returns a plug-in for one gateway
 */
export function increments(): GatewayPlugin {
  const metrics = new IncrementMetrics();
  const keptOf = openKeptEndpoints();
  const ofWaves = new WaveChanges();
  let host: PluginHost | undefined;
  let catalog: Catalog | undefined;
  let windows = new WeakMap<SavedQuery, Promise<Window | undefined>>();

  const derived = async (query: SavedQuery): Promise<Window | undefined> => {
    if (host === undefined || catalog === undefined) return undefined;
    const { derive } = host;
    const window = await narrowQuery(catalog.tables, (derivation) => derive(query, derivation));
    return window.query === undefined ? undefined : window;
  };
  const windowOf = (query: SavedQuery) => {
    const window = windows.get(query) ?? derived(query);
    windows.set(query, window);
    return window;
  };
  const takeUp = (next: Catalog) => {
    catalog = next;
    windows = new WeakMap();
    ofWaves.clear();
    metrics.keepEndpoints(keptOf(next));
  };
  return {
    name: 'increments',
    metrics: metrics.families,
    open(opened) {
      host = opened;
      takeUp(opened.catalog);
    },
    onCatalog: takeUp,
    async aroundRun(bound, options, run) {
      const { incremental } = bound.query;
      const window =
        incremental === undefined || bound.sql !== undefined || host === undefined
          ? undefined
          : await windowOf(bound.query);
      if (host === undefined || incremental === undefined || window === undefined) return run(options);
      const { clock, changes: changesOf, turns } = host;
      const { wave, signal } = options;
      const { id, name } = bound.query;
      const at = wave?.moment ?? momentOf(clock.now().getTime(), host.hasOwnClock);
      const earlier = options.before?.();
      const before = parseState(earlier?.state);
      const look =
        changesOf &&
        ((until: AbortSignal) =>
          changesOf(window.narrowed.tables, before?.tables, until).catch(() => unknownChanges));
      const changes = await (look && wave
        ? untilAborted(
            ofWaves.since(id, wave.moment, before?.tables, () => look(notAborted)),
            signal,
          )
        : look?.(signal));
      const refresh = { window, bound, options, run, state: { at, tables: changes?.state ?? '' } };
      const compute = <T>(steps: Iterator<void, T>) => turns.compute(options.owner, steps);
      const rows = await runIncrement(refresh, { incremental, earlier, before, changes, compute });
      if (typeof rows !== 'string') {
        metrics.count(name, rows.kind);
        return rows.rows;
      }
      metrics.count(name, 'full', rows);
      const all = await runAll(refresh, host.hasOwnClock);
      const { computedAt = at } = all;
      // Of a shared run of the wave before.
      const isOlder = computedAt < at;
      return withState(
        all,
        isOlder ? { at: computedAt, tables: await ofWaves.stateAt(id, computedAt) } : refresh.state,
      );
    },
  };
}

interface Earlier {
  readonly incremental: IncrementalPolicy;
  readonly earlier: EarlierRows | undefined;
  readonly before: RunState | undefined;
  readonly changes: TableChanges | undefined;
  readonly compute: <T>(steps: Iterator<void, T>) => Promise<T>;
}

interface Done {
  readonly kind: 'increment' | 'unchanged';
  readonly rows: Rows;
}

/** @returns why all has to be read */
async function runIncrement(refresh: Refresh, given: Earlier): Promise<Done | FullReason> {
  const { incremental, earlier, before, changes, compute } = given;
  if (earlier === undefined) return 'first';
  if (before === undefined) return 'state';
  if (earlier.truncated) return 'rows';
  const { window, bound, state } = refresh;
  // The clock was ahead: rows may have come since then.
  if (before.at > state.at) return 'state';
  const changed = changesSince(incremental, before, changes);
  if (changed === undefined) return 'state';
  if (changed.isLate && isReconciled(bound.query, incremental, before.at, state.at)) return 'reconcile';
  const { bucket, narrowed } = window;
  const kept = await compute(bucketRowsOf(earlier.document, bucket));
  const plan = planIncrement(narrowed, {
    textOf: textsOf(bound),
    before: before.at * 1000,
    now: state.at * 1000,
    changed: changed.ranges,
    buckets: kept.map((row) => row.bucket ?? Number.NaN),
  });
  if (plan === undefined) return 'window';
  if (plan === 'unchanged') {
    const document = { parts: [earlier.document], rowCount: earlier.rowCount };
    const rows = withVersion(new DocumentRows(document, false), before);
    return { kind: 'unchanged', rows: withState(rows, state) };
  }
  // All may have to be read after it: a slot that it kept might be what the run before that one in the queue waits for.
  const { beforeRows: _, ...options } = refresh.options;
  const read = await runPart({ ...refresh, options }, plan.read);
  if (read.truncated) return 'rows';
  // A newer snapshot may have other rows in the buckets that were not read.
  if (read.dataVersion !== before.dataVersion) return 'state';
  const merged = merge(plan, kept, await compute(bucketRows(read.rows, bucket)), narrowed.bucket.descending);
  if (merged === undefined) return 'window';
  if (merged.length > bound.query.maxRows) return 'rows';
  const rows = { rows: merged, truncated: false, ...(read.cost && { cost: read.cost }) };
  return { kind: 'increment', rows: withState(withVersion(rows, before), state) };
}

interface ChangedSince {
  readonly ranges: readonly TimeRange[];
  /** True if the engine does not know of rows that have come late. */
  readonly isLate: boolean;
}

function changesSince(
  { lateSeconds }: IncrementalPolicy,
  { at }: RunState,
  changes: TableChanges | undefined,
): ChangedSince | undefined {
  const changed = changes === undefined ? 'late' : changes.changed;
  if (changed === undefined) return undefined;
  if (changed !== 'late') return { ranges: changed, isLate: changes?.knowsLate !== true };
  const from = (at - oldestLookMs - lateSeconds * 1000) * 1000;
  return { ranges: [{ from, until: Number.POSITIVE_INFINITY }], isLate: true };
}

/** Between two moments, for all parameters of a query at the same time, and for each query at another one. */
function isReconciled(
  { id }: SavedQuery,
  { reconcileSeconds }: IncrementalPolicy,
  from: number,
  to: number,
): boolean {
  const every = reconcileSeconds * 1000;
  const phase = Number.parseInt(id.slice(0, 8), 16) % every;
  return Math.floor((from - phase) / every) !== Math.floor((to - phase) / every);
}

const textsOf =
  ({ parameters }: BoundQuery) =>
  (name: string): string | undefined => {
    const value = parameters[name];
    return typeof value === 'string' ? value : undefined;
  };

/** The query itself, if it can be run for the moment of the state. */
function runAll(refresh: Refresh, hasOwnClock: boolean): Promise<Rows> {
  const { bound, options, run, state } = refresh;
  const { wave = { moment: state.at, until: state.at } } = options;
  // Without a wave, its parts would be kept for others.
  const isItself =
    !hasOwnClock && (options.wave !== undefined || bound.query.materializedTables === undefined);
  return isItself ? run({ ...options, wave }) : runPart(refresh, wholeWindow);
}

/** The current time of a run for callers: a whole second where it is a parameter, so that those who wait together share a run. */
const momentOf = (now: number, hasOwnClock: boolean): number => (hasOwnClock ? now - (now % 1000) : now);

/** Runs the query over the rows before one moment, and from another one on. */
function runPart(
  { window: { query, narrowed }, bound, options, run, state }: Refresh,
  part: Increment['read'],
): Promise<Rows> {
  const parameters = { ...bound.parameters, ...moments(narrowed, part, state.at * 1000) };
  return run(options, { ...bound, query, parameters });
}

/** @returns undefined if a row has no bucket that is known */
function merge(
  plan: Increment,
  kept: readonly BucketRow[],
  read: readonly BucketRow[],
  isDescending: boolean,
): readonly string[] | undefined {
  const sides = { before: [] as string[], kept: [] as string[], after: [] as string[] };
  for (const [rows, isKept] of [
    [kept, true],
    [read, false],
  ] as const) {
    for (const { text, bucket } of rows) {
      const side = bucket === undefined ? undefined : plan.sideOf(bucket);
      if (side === undefined) return undefined;
      if ((side === 'kept') === isKept) sides[side].push(text);
    }
  }
  const { before, after } = sides;
  return isDescending ? [...after, ...sides.kept, ...before] : [...before, ...sides.kept, ...after];
}

const withVersion = (rows: Rows, { dataVersion }: RunState): Rows =>
  dataVersion === undefined ? rows : Object.assign(rows, { dataVersion });

/** The rows of an engine may be an object of a class. */
const withState = (rows: Rows, state: RunState): Rows =>
  Object.assign(rows, { state: stateText({ ...state, dataVersion: rows.dataVersion }) });
