import { type Budget, type BudgetInput, budgetOf } from '../../config/budget.ts';
import { checkOptions, optionRule } from '../../config/option-rules.ts';
import { isTimeZone } from '../../config/time-zone.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { GatewayPlugin, PluginHost } from '../../gateway/plugin.ts';
import type { Reply } from '../../http/message/reply.ts';
import { memoize } from '../../memoize.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';
import { type Account, accountOf, buildDayOf, type Totals } from './account.ts';
import { openAccountFile } from './account-file.ts';
import { Accounts } from './accounts.ts';
import { Budgets } from './budgets/budgets.ts';
import { buildPeriodOf } from './budgets/limits.ts';
import { openLedger } from './budgets/open-ledger.ts';
import { CostMetrics } from './cost-metrics.ts';
import { buildDayRoute } from './day-route.ts';
import { runBilled } from './run-billed.ts';
import { sharedAccounts } from './shared-accounts.ts';

/** How costs are accounted for. */
interface CostsOptions {
  /** The most that all runs may cost together, as in `{ bytes_per_day: '1TB' }`. Default: unlimited. */
  readonly budget?: Budget | BudgetInput | undefined;
  /** Where accounts are kept by a gateway that shares no Redis. Default: they end with the process. */
  readonly file?: string | undefined;
  /** Where days begin and end, as in `Europe/Zurich`. Default: `UTC`. */
  readonly timeZone?: string | undefined;
}

/** The name of the connection, for the log. */
export const sharedAccountsName = 'the Redis of shared accounts';

/** The same reply, whose results are refreshed half as often: one that is cached is marked once. */
const stretched = memoize(
  (reply: Reply): Reply => ({
    ...reply,
    headers: { ...reply.headers, 'querygate-budget': 'refreshes=stretched' },
  }),
);

/**
 * Accounts for what runs of the engine are billed, by key, tenant, endpoint and day, and keeps them within the budgets of the
 * gateway, of keys and of queries. It does nothing for a cached result.
 *
 * @returns a plug-in for one gateway
 * @throws StartError with every wrong option
 */
export function costs(options: CostsOptions = {}): GatewayPlugin {
  checkOptions<CostsOptions>('costs', options, {
    budget: optionRule.budget,
    file: optionRule.text,
    timeZone: timeZoneRule,
  });
  const timeZone = options.timeZone ?? 'UTC';
  const budget = options.budget && budgetOf(options.budget);
  const dayOf = buildDayOf(timeZone);
  const metrics = new CostMetrics();
  const keptOf = openKeptEndpoints();
  let host: PluginHost | undefined;
  let accounts: Accounts | undefined;
  let budgets: Budgets | undefined;
  let dayRoute: ReturnType<typeof buildDayRoute> | undefined;

  const settle = (bound: BoundQuery, account: Account, bill: Totals) => {
    metrics.count(account, bill);
    accounts?.settle(account, bill);
    if (bill.runs > 0) budgets?.remember(bound, bill);
  };
  const onReply: NonNullable<GatewayPlugin['onReply']> = ({ results }, reply) =>
    budgets?.isAnyStretched && results.some(({ bound }) => budgets?.isStretched(bound.query))
      ? stretched(reply)
      : reply;
  /** Cached results pay nothing where no budget can be near its end. */
  const hookReplies = () => {
    if (budgets?.stretches) plugin.onReply = onReply;
    else delete plugin.onReply;
  };
  const plugin: GatewayPlugin = {
    name: 'costs',
    metrics: [...metrics.families, ...budgetFamilies(() => budgets)],
    async open(opened) {
      host = opened;
      metrics.keepEndpoints(keptOf(opened.catalog));
      const { shared, log } = opened;
      const state = await shared?.openState(sharedAccountsName, log);
      await state?.ready;
      const ofFile = options.file === undefined ? undefined : openAccountFile(options.file);
      accounts = new Accounts(state === undefined ? ofFile : sharedAccounts(state), log);
      const periodOf = buildPeriodOf(timeZone);
      const ledger = await openLedger({ host, accounts, state, periodOf, timeZone });
      budgets = new Budgets({ host, ledger, periodOf, budget });
      hookReplies();
    },
    onCatalog(catalog) {
      metrics.keepEndpoints(keptOf(catalog));
      budgets?.replaceCatalog(catalog);
      hookReplies();
    },
    routes(catalog, { clock }) {
      const load = async (days: ReadonlySet<string>) => (await accounts?.load(days)) ?? [];
      dayRoute ??= buildDayRoute({ timeZone, clock, load });
      return [dayRoute(catalog)];
    },
    paceOf: ({ query }) => budgets?.paceOf(query) ?? 1,
    async aroundRun(bound, given, run) {
      // A bill may come late: it is of the day of its run.
      const account = accountOf(bound, given.payer, dayOf(host?.clock.now() ?? new Date()));
      return runBilled(bound, run, given, {
        reserve: async (above) => budgets?.reserve(bound, given, above),
        settle: (bill) => settle(bound, account, bill),
      });
    },
    close: async () => accounts?.close(),
  };
  return plugin;
}

const budgetFamilies = (budgets: () => Budgets | undefined): NonNullable<GatewayPlugin['metrics']> => [
  {
    name: 'querygate_budget_used_ratio',
    help: 'The part of a budget that is spent or reserved; without a name that of the gateway.',
    type: 'gauge',
    samples: () => budgets()?.uses() ?? [],
  },
  {
    name: 'querygate_budget_stretched',
    help: '1 if the refreshes of an endpoint come half as often, because a budget is nearly spent.',
    type: 'gauge',
    samples: () => budgets()?.stretched() ?? [],
  },
  {
    name: 'querygate_budget_refusals_total',
    help: 'Runs that a budget has refused, refreshes too, by whose budget it is: gateway, key or query.',
    type: 'counter',
    samples: () => [...(budgets()?.refusals ?? [])].map(([payer, value]) => ({ labels: { payer }, value })),
  },
  {
    name: 'querygate_budget_assumed_bills_total',
    help: 'Runs that failed without a bill: budgets are charged what such a run usually costs, until the bill comes.',
    type: 'counter',
    samples: () => [{ labels: {}, value: budgets()?.assumedBills ?? 0 }],
  },
];

const timeZoneRule = {
  ...optionRule.text,
  problemOf: (value: unknown) =>
    isTimeZone(String(value))
      ? undefined
      : `got ${JSON.stringify(value)}; must be a time zone, as in Europe/Zurich`,
};
