import type { CliCommand } from '../../command.ts';

export const types: CliCommand = {
  usage: 'types',
  description: 'print TypeScript types for REST and GraphQL',
  settings: ['QUERIES_DIR'],
  async run({ config }) {
    const [{ loadAnalyzed }, { typescriptTypes }] = await Promise.all([
      import('../../../catalog-analysis/load-analyzed.ts'),
      import('../../../author/types/types-module.ts'),
    ]);
    process.stdout.write(typescriptTypes(loadAnalyzed(config().queriesDir)));
  },
};
