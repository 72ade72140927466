import module from 'node:module';
import type { DuckdbSettings } from './duckdb-options.ts';

// The process of its own in which DuckDB runs. Only modules that are imported after this call are loaded from the cache.
module.enableCompileCache();
const [{ serveEngine }, { openDuckdb }] = await Promise.all([
  import('../../engine-contract/remote/serve-engine.ts'),
  import('./open-duckdb.ts'),
]);
serveEngine<DuckdbSettings>(
  async (host, settings) => {
    const engine = await openDuckdb(host, settings);
    // A process that is killed writes nothing at its end.
    module.flushCompileCache();
    return engine;
  },
  { sql: 'bigquery' },
);
