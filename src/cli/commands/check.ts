import { Option } from 'commander';
import type { CheckOptions } from '../../author/check.ts';
import { type CliCommand, repeated } from '../command.ts';

export const check: CliCommand<CheckOptions & { readonly sqlfluff?: boolean }> = {
  usage: 'check',
  description: 'check every saved query without starting the gateway',
  settings: ['ENGINE', 'QUERIES_DIR'],
  options: [
    new Option('--maximum-bytes <number>', 'the most bytes that a query may read on BigQuery'),
    new Option(
      '--maximum-usd-per-month <number>',
      'the most that a query may cost a month on BigQuery, while warm',
    ),
    new Option('--tenants <number>', 'for how many tenants what queries cost is forecast'),
    repeated('--compose <file>', 'the schema of another subgraph, to compose with; may be repeated'),
    new Option('--json', 'print JSON'),
    new Option('--github', 'print problems as annotations of GitHub Actions, too'),
    new Option('--sqlfluff', 'only print settings of SQLFluff that fit saved queries'),
  ],
  async run({ flags, config }) {
    if (flags.sqlfluff) {
      const { sqlfluffSettings } = await import('../../problems/sqlfluff-settings.ts');
      process.stdout.write(sqlfluffSettings);
      return;
    }
    const { checkQueries } = await import('../../author/check.ts');
    return checkQueries(config(), flags);
  },
};
