import { afterAll, beforeAll, describe, test } from 'vitest';
import { testEngine } from '../../src/engine-contract/test-suite/test-engine.ts';
import { bigquery } from '../../src/engines/bigquery/bigquery.ts';
import { type Emulator, skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { isNightly } from '../support/nightly.ts';
import { type ReasonProxy, startReasonProxy } from '../support/reason-proxy.ts';

describe.skipIf(skipsEmulator || !isNightly)('on bigquery-emulator', () => {
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
  const engine = () =>
    bigquery({
      projectId: emulator.project,
      dataset,
      apiEndpoint: proxy.endpoint,
      startCheck: 'off',
    });

  testEngine({
    test,
    // Where the emulator listens is known when the tests run.
    engine: {
      ...bigquery({ projectId: 'found-later', dataset: 'found_later' }),
      open: (host) => engine().open(host),
    },
    // The emulator runs one query at a time.
    limits: { timeoutMs: 8000 },
  });
});
