import { afterAll, beforeAll, describe, test } from 'vitest';
import { testEngine } from '../../../src/engine-contract/test-suite/test-engine.ts';
import { quack } from '../../../src/engines/quack/quack.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';
import { quackServer } from '../../support/quack-server.ts';

const server = await quackServer();
beforeAll(() => server.start());
afterAll(() => server.kill());

describe.skipIf(isWithoutExtensions)('a server of DuckDB', () => {
  testEngine({
    test,
    engine: quack({ url: server.url, token: server.token, extensionsDir }),
    // A server of Quack 1.5 cannot be asked to end a query.
    omit: ['endless'],
  });
});
