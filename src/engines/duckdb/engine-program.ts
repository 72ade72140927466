import { serveEngine } from '../../engine/remote/serve-engine.ts';
import type { DuckdbSettings } from './duckdb-options.ts';
import { openDuckdb } from './open-duckdb.ts';

// The process of its own in which DuckDB runs.
serveEngine<DuckdbSettings>(openDuckdb, { sql: 'bigquery' });
