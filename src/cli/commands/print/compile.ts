import type { CliCommand } from '../../command.ts';

export const compile: CliCommand = {
  usage: 'compile <query>',
  description: 'print the SQL that the engine runs for a saved query, given by name or UUID',
  settings: ['ENGINE', 'QUERIES_DIR'],
  async run({ args: [name = ''], config: readConfig }) {
    const [{ lookUpQuery }, { configuredEngine }, { loadAnalyzed }] = await Promise.all([
      import('../../../catalog/model/find-query.ts'),
      import('../../../author/configured-engine.ts'),
      import('../../../catalog-analysis/load-analyzed.ts'),
    ]);
    const config = readConfig();
    const engine = await configuredEngine(config);
    const catalog = loadAnalyzed(config.queriesDir, engine);
    const query = lookUpQuery(catalog, name);
    if (query === undefined) {
      const [{ commandError }, { didYouMean }] = await Promise.all([
        import('../../../author/arguments.ts'),
        import('@querygate/text'),
      ]);
      const names = catalog.queries.map((one) => one.name);
      const hint = didYouMean(name, names) || `; there are ${names.join(', ')}`;
      throw commandError(`No endpoint has this name or UUID: ${name}${hint}`);
    }
    process.stdout.write(`${(await engine.sqlOf?.(query, catalog)) ?? query.sql}\n`);
  },
};
