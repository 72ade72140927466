import { checkOptions, optionRule } from '../../config/option-rules.ts';
import { isTimeZone } from '../../config/time-zone.ts';
import type { Cost } from '../../engine-contract/engine.ts';
import type { GatewayPlugin, PluginHost } from '../../gateway/plugin.ts';
import { openKeptEndpoints } from '../metrics/kept-endpoints.ts';
import { accountOf, billOf, buildDayOf, type Totals } from './account.ts';
import { openAccountFile } from './account-file.ts';
import { Accounts, type AccountStore } from './accounts.ts';
import { CostMetrics } from './cost-metrics.ts';
import { sharedAccounts } from './shared-accounts.ts';

/** How costs are accounted for. */
interface CostsOptions {
  /** Where accounts are kept by a gateway that shares no Redis. Default: they end with the process. */
  readonly file?: string | undefined;
  /** Where days begin and end, as in `Europe/Zurich`. Default: `UTC`. */
  readonly timeZone?: string | undefined;
}

/** The name of the connection, for the log. */
export const sharedAccountsName = 'the shared accounts';

/**
 * Accounts for what runs of the engine are billed, by key, tenant, endpoint and day. It does nothing for a cached result.
 *
 * @returns a plug-in for one gateway
 * @throws StartError with every wrong option
 */
export function costs(options: CostsOptions = {}): GatewayPlugin {
  checkOptions<CostsOptions>('costs', options, { file: optionRule.text, timeZone: timeZoneRule });
  const dayOf = buildDayOf(options.timeZone ?? 'UTC');
  const metrics = new CostMetrics();
  const keptOf = openKeptEndpoints();
  let host: PluginHost | undefined;
  let accounts: Accounts | undefined;
  return {
    name: 'costs',
    metrics: metrics.families,
    async open(opened) {
      host = opened;
      metrics.keepEndpoints(keptOf(opened.catalog));
      accounts = new Accounts(await openStore(opened, options.file), opened.log);
    },
    onCatalog: (catalog) => metrics.keepEndpoints(keptOf(catalog)),
    async aroundRun(bound, given, run) {
      const settle = (bill: Totals) => {
        const account = accountOf(bound, given.payer, dayOf(host?.clock.now() ?? new Date()));
        metrics.count(account, bill);
        accounts?.settle(account, bill);
      };
      const onBill = (cost: Cost) => {
        settle(billOf(cost));
        given.onBill?.(cost);
      };
      const rows = await run({ ...given, onBill });
      settle(billOf(rows.cost));
      return rows;
    },
    close: async () => accounts?.close(),
  };
}

async function openStore(
  { shared, log }: PluginHost,
  file: string | undefined,
): Promise<AccountStore | undefined> {
  if (shared !== undefined) {
    const state = await shared.openState(sharedAccountsName, log);
    await state.ready;
    return sharedAccounts(state);
  }
  return file === undefined ? undefined : openAccountFile(file);
}

const timeZoneRule = {
  ...optionRule.text,
  problemOf: (value: unknown) =>
    isTimeZone(String(value))
      ? undefined
      : `got ${JSON.stringify(value)}; must be a time zone, as in Europe/Zurich`,
};
