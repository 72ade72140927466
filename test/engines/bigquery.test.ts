import { afterAll, beforeAll, describe } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openBigquery } from '../../src/engines/bigquery/open-bigquery.ts';
import { type Emulator, skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { engineHost } from '../support/engine-host.ts';
import { type ReasonProxy, startReasonProxy } from '../support/reason-proxy.ts';
import { engineContract } from '../engine/contract.ts';

describe.skipIf(skipsEmulator)('on bigquery-emulator', () => {
  let emulator: Emulator;
  let proxy: ReasonProxy;
  let dataset: string;
  beforeAll(async () => {
    emulator = await startEmulator();
    proxy = await startReasonProxy(emulator.endpoint);
    dataset = await emulator.seed({});
  });
  afterAll(async () => {
    await proxy?.close();
    await emulator?.close();
  });

  engineContract('bigquery', {
    open: (queries) => {
      const config = readConfig({
        ENGINE: 'bigquery',
        // The emulator runs one query at a time.
        ENGINE_TIMEOUT_MS: '8000',
        ENGINE_CONCURRENCY: '2',
        BIGQUERY_PROJECT: emulator.project,
        BIGQUERY_DATASET: dataset,
        BIGQUERY_API_ENDPOINT: proxy.endpoint,
        BIGQUERY_START_CHECK: 'off',
      });
      return openBigquery(engineHost({ catalog: { queries, tables: [] }, config }), config.bigquery);
    },
  });
});
