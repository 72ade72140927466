import { Option } from 'commander';
import type { CliCommand } from '../../command.ts';

export const schema: CliCommand<{ readonly federation?: boolean; readonly composite?: boolean }> = {
  usage: 'schema',
  description: 'print the GraphQL schema without FEDERATION',
  settings: ['QUERIES_DIR'],
  options: [
    new Option('--federation', 'print a subgraph of Federation 2, with its directives'),
    new Option('--composite', 'print a source schema of composite schemas, with its directives').conflicts(
      'federation',
    ),
  ],
  async run({ flags, config }) {
    const { loadAnalyzed } = await import('../../../catalog-analysis/load-analyzed.ts');
    const catalog = loadAnalyzed(config().queriesDir);
    if (flags.federation || flags.composite) {
      const { printSubgraph } = await import('../../../plugins/federation/subgraph.ts');
      process.stdout.write(printSubgraph(catalog, flags.composite ? 'composite' : 'federation'));
      return;
    }
    const [{ printSchema }, { buildSchema }] = await Promise.all([
      import('graphql'),
      import('../../../http/graphql/schema/schema.ts'),
    ]);
    process.stdout.write(`${printSchema(buildSchema(catalog))}\n`);
  },
};
