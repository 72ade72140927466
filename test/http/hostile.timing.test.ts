import { afterAll, beforeAll, expect, test } from 'vitest';
import { medianOf } from '../support/median.ts';
import { processorMsOf } from '../support/processor-time.ts';
import { sendRaw } from '../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';
import { hostileRequests } from './hostile-requests.ts';

let served: ServedApp;
beforeAll(async () => {
  served = await serveTestApp({ CORS_ORIGINS: 'https://dash.example.com' });
});
afterAll(() => served.close());

test.each(hostileRequests.map((row) => [row.name, row] as const))(
  'a hostile request is refused within 200 ms: %s',
  async (_, { bytes }) => {
    expect(await medianOf(() => processorMsOf(() => sendRaw(served.port, bytes)))).toBeLessThan(200);
  },
);
