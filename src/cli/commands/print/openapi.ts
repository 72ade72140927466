import type { CliCommand } from '../../command.ts';

export const openapi: CliCommand = {
  usage: 'openapi',
  description: 'print the REST interface as an OpenAPI document',
  settings: ['QUERIES_DIR'],
  async run({ config }) {
    const [{ loadAnalyzed }, { openapiDocument }] = await Promise.all([
      import('../../../catalog-analysis/load-analyzed.ts'),
      import('../../../plugins/openapi/document.ts'),
    ]);
    const { queries } = loadAnalyzed(config().queriesDir);
    process.stdout.write(
      `${JSON.stringify(openapiDocument(queries, { mayPassSql: true, basePath: '/' }), null, 2)}\n`,
    );
  },
};
