import { Option } from 'commander';
import type { CliCommand } from '../command.ts';
import type { CostFlags } from '../costs/print-costs.ts';

export const costs: CliCommand<CostFlags> = {
  usage: 'costs',
  description: 'print what runs were billed, from the Redis that gateways share or ACCOUNTS_FILE',
  settings: ['CACHE_URL', 'CACHE_SECRET', 'ACCOUNTS_FILE', 'BUDGET_TIME_ZONE'],
  options: [
    new Option('--days <number>', 'how many days, today included').default('7'),
    new Option('--by <names>', 'what each row is of: day, key, tenant, endpoint, joined by commas').default(
      'endpoint',
    ),
    new Option('--format <name>', 'the form of the rows').choices(['table', 'csv', 'json']).default('table'),
  ],
  async run({ flags, config }) {
    await (await import('../costs/print-costs.ts')).printCosts(config(), flags);
  },
};
