import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { bind } from '../../src/catalog/binding/bind.ts';
import type { Catalog } from '../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../src/config.ts';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import { configuredEngine } from '../../src/author/configured-engine.ts';
import { limitsOf } from '../../src/engines/checked-engine.ts';
import { now } from './dataset.ts';
import type { Limits } from './limits.ts';

/** The product's own engine over a folder of logs. */
export interface Product {
  /** The rows of one query, as the HTTP handlers get them. */
  run(endpoint: string, parameters: Readonly<Record<string, string>>): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface ProductOptions {
  readonly catalog: Catalog;
  readonly dataDir: string;
  readonly storeFile: string;
  readonly limits: Limits;
}

/** Opened as by `npm start`; it is ready when all files are imported. */
export async function openProduct({ catalog, dataDir, storeFile, limits }: ProductOptions): Promise<Product> {
  mkdirSync(dirname(storeFile), { recursive: true });
  const { DUCKDB_MEMORY_LIMIT } = limits;
  const settings = {
    DUCKDB_MEMORY_LIMIT,
    DATA_DIR: dataDir,
    STORE_FILE: storeFile,
    ENGINE_TIMEOUT_MS: '3600000',
  };
  const config = readConfig(settings);
  const factory = await configuredEngine(config);
  // The engine knows the queries that the analysis gives, which may be others than those of the folder.
  const analyzed = buildAnalyze(factory)(catalog);
  const engine = await factory.open({
    catalog: analyzed,
    limits: limitsOf(config),
    now: () => now,
    turns: new LoopTurns(),
    events: {
      problem: (message) => {
        throw new Error(`The generated logs were not imported: ${message}`);
      },
      news: () => {},
    },
  });
  const { signal } = new AbortController();
  return {
    async run(endpoint, parameters) {
      const query = analyzed.queries.find(({ name }) => name === endpoint);
      if (query === undefined) throw new Error(`There is no saved query ${endpoint}`);
      const raw = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]));
      return (await engine.run(bind(query, raw), { signal })).rows;
    },
    close: () => engine.close(),
  };
}
