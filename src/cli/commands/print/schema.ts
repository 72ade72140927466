import type { CliCommand } from '../../command.ts';

export const schema: CliCommand = {
  usage: 'schema',
  description: 'print the GraphQL schema',
  settings: ['QUERIES_DIR'],
  async run({ config }) {
    const [{ printSchema }, { loadAnalyzed }, { buildSchema }] = await Promise.all([
      import('graphql'),
      import('../../../analysis/load-analyzed.ts'),
      import('../../../http/graphql/schema/schema.ts'),
    ]);
    process.stdout.write(`${printSchema(buildSchema(loadAnalyzed(config().queriesDir)))}\n`);
  },
};
