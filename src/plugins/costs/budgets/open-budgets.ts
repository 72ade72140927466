import type { Budget } from '../../../config/budget.ts';
import type { PluginHost } from '../../../gateway/plugin.ts';
import type { SharedState } from '../../../redis/shared-state.ts';
import { type AccountRow, short } from '../account.ts';
import type { Accounts } from '../accounts.ts';
import { Budgets } from './budgets.ts';
import { LocalLedger } from './ledger.ts';
import { buildPeriodOf, type Limit, type Period } from './limits.ts';
import { SharedLedger } from './shared-ledger.ts';

interface OpenBudgetsOptions {
  readonly host: PluginHost;
  readonly accounts: Accounts;
  /** undefined: each gateway counts for itself. */
  readonly state: SharedState | undefined;
  readonly timeZone: string;
  readonly dayOf: (time: Date) => string;
  readonly budget: Budget | undefined;
}

/** Longer than a run takes with its retries, and with its cancelling. */
const graceMs = 60_000;

const dayMs = 86_400_000;

/** The budgets of a gateway, with what was spent before its start. */
export async function openBudgets(options: OpenBudgetsOptions): Promise<Budgets> {
  const { host, accounts, state, timeZone, dayOf, budget } = options;
  const periodOf = buildPeriodOf(timeZone);
  const keepMs = host.engineTimeoutMs + graceMs;
  if (state !== undefined) {
    const ledger = new SharedLedger({ state, keepMs, periodOf });
    return new Budgets({ host, ledger, periodOf, budget });
  }
  const now = host.clock.now().getTime();
  const days = new Set([0, 1].map((before) => dayOf(new Date(now - before * dayMs))));
  const rows = await accounts.load(days);
  const spentBefore = (limit: Limit, { start }: Period) => {
    const from = dayOf(new Date(limit.perMs > 0 ? now : start));
    return rows
      .filter((row) => row.day >= from && isOf(limit, row))
      .reduce((sum, row) => sum + (limit.unit === 'bytes' ? row.bytesBilled : row.slotMs), 0);
  };
  const ledger = new LocalLedger(keepMs, spentBefore);
  return new Budgets({
    host,
    periodOf,
    budget,
    ledger: {
      reserve: (...given) => ledger.reserve(...given),
      settle: (...given) => ledger.settle(...given),
      look: (limit, at) => ledger.look({ limit, period: periodOf(limit.id, at) }, at),
    },
  });
}

/** A day that begins at the time of the limit has a part of the day before: too much is counted rather than nothing. */
const isOf = ({ payer, of }: Limit, { key, endpoint }: AccountRow): boolean =>
  payer === 'gateway' || (payer === 'key' ? key === short(of) : endpoint === of);
