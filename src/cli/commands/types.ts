import type { CliCommand } from '../command.ts';

export const types: CliCommand = {
  usage: 'types',
  description: 'print TypeScript types for REST and GraphQL',
  settings: ['QUERIES_DIR'],
  async run({ config }) {
    const [{ loadTypedCatalog }, { typescriptTypes }] = await Promise.all([
      import('../../analysis/complete-records.ts'),
      import('../../author/types/typescript-types.ts'),
    ]);
    process.stdout.write(typescriptTypes(loadTypedCatalog(config().queriesDir)));
  },
};
