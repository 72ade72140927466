import { hash } from 'node:crypto';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { tenantsOfBound } from '../../catalog/binding/bind-tenant.ts';
import type { Cost } from '../../engine-contract/engine.ts';
import type { Principal } from '../../keys/principal.ts';
import { countTables, mostBilled } from './rounding.ts';

/** The account that runs are billed to. */
export interface Account {
  /** As in `2026-11-28`, in the time zone of budgets. */
  readonly day: string;
  /** The id of the key, or of the subject of tokens; `(refresh)` for runs that are everybody's. */
  readonly key: string;
  /** Empty for a refresh, and for queries without a tenant; `(several)` for a list of some. */
  readonly tenant: string;
  readonly endpoint: string;
}

/** The sum of some bills. */
export interface Totals {
  readonly runs: number;
  readonly bytesBilled: number;
  /** Milliseconds of one slot. */
  readonly slotMs: number;
}

/** The bills of one account that one process has settled. A later row of the same process replaces an earlier one. */
export interface AccountRow extends Account, Totals {
  /** The process, and since when it counts this day: rows of several are added up. */
  readonly instance: string;
}

/** The key of the account of runs that serve all callers. */
export const refreshKey = '(refresh)';

/** The key and the tenant of accounts beyond those that a day may have. */
export const otherAccounts = '(others)';

/** The tenant of a run for several: a list of those that happened to wait would be another account each time. */
const severalTenants = '(several)';

/** Longer names are digests: any text may be sent for a tenant. */
const maxNameLength = 200;

/** Whose account a run belongs to. @param payer undefined for a refresh */
export function accountOf(bound: BoundQuery, payer: Principal | undefined, day: string): Account {
  const endpoint = bound.query.name;
  if (payer === undefined) return { day, key: refreshKey, tenant: '', endpoint };
  const [tenant = '', ...others] = new Set(tenantsOfBound(bound, payer.tenants));
  return { day, key: short(payer.id), tenant: others.length > 0 ? severalTenants : short(tenant), endpoint };
}

export const short = (name: string): string =>
  name.length <= maxNameLength ? name : `#${hash('sha256', name, 'hex').slice(0, 16)}`;

/** The bill of a run: what it read, rounded as BigQuery does, while the engine cannot say what it bills. */
export const billOf = ({ query }: BoundQuery, cost: Cost | undefined): Totals => ({
  runs: 1,
  bytesBilled: cost?.bytesBilled ?? mostBilled(cost?.bytesProcessed ?? 0, countTables(query) ?? 1),
  slotMs: cost?.slotMs ?? 0,
});

/** @returns the sum of both */
export const add = (a: Totals, b: Totals): Totals => ({
  runs: a.runs + b.runs,
  bytesBilled: a.bytesBilled + b.bytesBilled,
  slotMs: a.slotMs + b.slotMs,
});

/** @returns `a` without `b` */
export const subtract = (a: Totals, b: Totals): Totals => ({
  runs: a.runs - b.runs,
  bytesBilled: a.bytesBilled - b.bytesBilled,
  slotMs: a.slotMs - b.slotMs,
});

/** The name of an account in one process. */
export const nameOf = ({ day, key, tenant, endpoint }: Account): string =>
  JSON.stringify([day, key, tenant, endpoint]);

/** Gives the day of a moment in a time zone. */
export function buildDayOf(timeZone: string): (time: Date) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => format.format(time);
}

const dayMs = 86_400_000;

/** The last days of a time zone: noon to noon, no day is skipped or doubled where clocks are changed. */
export function daysBefore(now: Date, count: number, timeZone: string): ReadonlySet<string> {
  const dayOf = buildDayOf(timeZone);
  const today = new Date(`${dayOf(now)}T12:00:00Z`).getTime();
  return new Set(
    Array.from({ length: count }, (_, at) => new Date(today - at * dayMs).toISOString().slice(0, 10)),
  );
}

export const noBill: Totals = { runs: 0, bytesBilled: 0, slotMs: 0 };
