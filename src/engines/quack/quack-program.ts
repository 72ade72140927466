import module from 'node:module';
import type { QuackSettings } from './quack-options.ts';

// The process of its own in which the client of the server runs. Only modules that are imported after this call are loaded
// from the cache.
module.enableCompileCache();
const [{ serveEngine }, { openQuack }] = await Promise.all([
  import('../../engine-contract/remote/serve-engine.ts'),
  import('./open-quack.ts'),
]);
serveEngine<QuackSettings>(openQuack, { sql: 'bigquery' });
