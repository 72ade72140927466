import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureLoopTime } from '../support/loop-time.ts';
import { ago, openTestApp, type TestApp } from '../support/test-app.ts';

/** URLs that an expensive pattern cannot skip. */
const row = (id: number) => ({
  id: `${id}`,
  timestamp: ago({ minutes: 1 }),
  project: 'p',
  metadata: [
    {
      request: [
        { url: `https://p.${createHash('sha256').update(`${id}`).digest('hex')}`, path: '/rest/v1/a' },
      ],
    },
  ],
});

const timeoutMs = 4_000;

describe('a valid but expensive pattern', () => {
  let app: TestApp;
  beforeAll(async () => {
    const rows = Array.from({ length: 80_000 }, (_, id) => row(id));
    app = await openTestApp({ edge_logs: rows }, { ENGINE_TIMEOUT_MS: String(timeoutMs) });
  });
  afterAll(() => app.close());

  const send = async (pattern: string) => {
    const query = new URLSearchParams({ project: pattern, interval: 'daily' });
    const response = await app.fetch(`/api/endpoints/query/usage.api-counts?${query}`);
    return { status: response.status, body: await response.json() };
  };

  test("is stopped by the engine's deadline, and the engine then runs other queries", async () => {
    const loopMs = measureLoopTime();
    expect(await send('(?:[0-9].{1,9}[a-f].{1,9}){40}zz')).toMatchObject({
      status: 504,
      body: { error: { code: 'ENGINE_TIMEOUT' } },
    });
    // DuckDB itself stops some seconds later, at the end of a block of rows.
    expect(loopMs()).toBeLessThan(2 * timeoutMs);
    await expect.poll(() => send('^https://p\\.')).toMatchObject({ status: 200, body: { result: [{}] } });
  });

  test('is reported with the form of a named group that the engine takes', async () => {
    await expect.poll(() => send('^https://(?P<n>p)')).toMatchObject({ status: 200 });
    expect(await send('^https://(?<n>p)')).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'INVALID_PARAMETER',
          parameter: 'project',
          message:
            'project: must be a regular expression in RE2 syntax (a named group is written (?P<name>…))',
        },
      },
    });
  });

  test('is reported with its parameter if it is too large for the engine', async () => {
    // DuckDB may still be busy with the last block of the other query.
    await expect
      .poll(() => send('(?i)\\pL{990}'))
      .toMatchObject({
        status: 400,
        body: {
          error: {
            code: 'INVALID_PARAMETER',
            parameter: 'project',
            message: expect.stringContaining('too large for the engine'),
          },
        },
      });
  });
});
