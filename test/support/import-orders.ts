/**
 * The order of imports: what is in a folder imports from its own part of that folder, or from one before it, also through
 * files beside the parts. `import type` counts. Each folder with several folders has its order here; that of `src` has its
 * files too.
 */
export const orders: Readonly<Record<string, readonly string[]>> = {
  'packages/bigquery-sql/src': [
    ...['text', 'syntax', 'tree', 'macros', 'rules', 'passes', 'analysis', 'duckdb', 'proposals'],
    'sandbox',
  ],
  'packages/bigquery-sql/src/syntax': ['lexer', 'expressions', 'queries'],
  'packages/bigquery-sql/src/rules/functions': ['aggregates', 'text', 'time'],
  'packages/bigquery-sql/src/duckdb': ['layout', 'host'],
  'packages/bigquery-sql/src/passes': ['constants', 'rewriting'],
  src: [
    'errors.ts',
    'version.ts',
    'trace',
    'config',
    'config.ts',
    'concurrency',
    'files',
    'names',
    'redis',
    'catalog',
    'analysis',
    'keys',
    'engine',
    'engines',
    'results',
    'formats',
    'shadow',
    'metrics',
    'http',
    'gateway',
    'author',
    'cli',
    'main.ts',
  ],
  'src/catalog': ['model', 'binding', 'header', 'check', 'folder'],
  'src/keys': ['rates', 'file', 'jwt'],
  'src/engines': ['bigquery', 'duckdb'],
  'src/engines/duckdb': ['wire', 'store', 'demo', 'import', 'prepare', 'run'],
  'src/engines/duckdb/import': ['scan', 'read', 'reject'],
  'src/results': ['shared', 'redis'],
  'src/http': [
    ...['message', 'access', 'observe', 'finish', 'static', 'rest', 'graphql', 'handler', 'compat', 'node'],
    ...['graphiql', 'openapi', 'pages'],
  ],
  'src/http/graphql': ['document', 'persisted', 'schema', 'compiled'],
  'src/author': ['problems', 'mutate', 'test', 'diff', 'new', 'tables', 'sql', 'types'],
  'src/author/diff': ['rules', 'compare', 'git'],
  'src/cli': ['settings', 'keys', 'start', 'commands'],
};
