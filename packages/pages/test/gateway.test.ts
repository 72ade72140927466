import { afterEach, expect, test, vi } from 'vitest';
import { GatewayError, isWrongRequest, openGateway } from '../src/gateway.ts';

afterEach(() => vi.unstubAllGlobals());

/** A gateway that answers so. */
function answering(body: string, headers: Readonly<Record<string, string>>, status = 200) {
  vi.stubGlobal('fetch', async () => new Response(body, { status, headers }));
  return openGateway('key');
}

const disposition = 'attachment; filename="logs.ndjson"';

test('a file of lines whose first column is called error is not an error', async () => {
  const lines = '{"error":"disk full","host":"a"}\n';
  const type = { 'content-type': 'application/x-ndjson', 'content-disposition': disposition };
  const { blob, name } = await answering(lines, type).file('/logs?format=ndjson');
  expect([name, await blob.text()]).toEqual(['logs.ndjson', lines]);
});

test('an error of COMPAT=logflare is one in a download, too', async () => {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  const downloading = answering('{"error":"days: too many"}', type).file('/logs?format=ndjson');
  await expect(downloading).rejects.toThrow('days: too many');
});

test('only a request that may succeed later is repeated', () => {
  const isWrong = (status: number) => isWrongRequest(new GatewayError('', { status }));
  expect([400, 401, 403, 404].map(isWrong)).toEqual([true, true, true, true]);
  expect([0, 200, 429, 500, 503].filter(isWrong)).toEqual([]);
});
