import type { PluginHost } from '../../../gateway/plugin.ts';
import type { SharedState } from '../../../redis/shared-state.ts';
import { type AccountRow, buildDayOf, daysBefore, short } from '../account.ts';
import type { Accounts } from '../accounts.ts';
import { type Ledger, LocalLedger } from './ledger.ts';
import type { Limit, Period } from './limits.ts';
import { SharedLedger } from './shared-ledger.ts';

interface OpenLedgerOptions {
  readonly host: Pick<PluginHost, 'clock' | 'engineTimeoutMs'>;
  readonly accounts: Accounts;
  /** undefined: each gateway counts for itself. */
  readonly state: SharedState | undefined;
  readonly periodOf: (id: string, now: number) => Period;
  readonly timeZone: string;
}

/** Longer than a run takes with its retries, and with its cancelling. */
const graceMs = 60_000;

/** The ledger of a gateway, with what was spent before its start. */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const { host, accounts, state, periodOf, timeZone } = options;
  const keepMs = host.engineTimeoutMs + graceMs;
  if (state !== undefined) return new SharedLedger({ state, keepMs, periodOf });
  const dayOf = buildDayOf(timeZone);
  const rows = await accounts.load(daysBefore(host.clock.now(), 2, timeZone));
  const spentBefore = (limit: Limit, { start }: Period) => {
    // A bucket is full then: accounts do not say when in the day a bill came.
    if (limit.perMs > 0) return 0;
    const from = dayOf(new Date(start));
    // A limit that is new has bills of this process, too.
    return [...rows, ...accounts.settledSince(from)]
      .filter((row) => row.day >= from && isOf(limit, row))
      .reduce((sum, row) => sum + (limit.unit === 'bytes' ? row.bytesBilled : row.slotMs), 0);
  };
  return new LocalLedger({ keepMs, periodOf, spentBefore });
}

/** A day that begins at the time of the limit has a part of the day before: too much is counted rather than nothing. */
const isOf = ({ payer, of }: Limit, { key, endpoint }: AccountRow): boolean =>
  payer === 'gateway' || (payer === 'key' ? key === short(of) : endpoint === of);
