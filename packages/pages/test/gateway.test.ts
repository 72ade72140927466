import { afterEach, expect, test, vi } from 'vitest';
import { GatewayError, isWrongRequest, openGateway } from '../src/gateway.ts';

afterEach(() => vi.unstubAllGlobals());

/** A gateway that answers so. */
function answering(body: string, headers: Readonly<Record<string, string>>, status = 200, statusText = '') {
  vi.stubGlobal('fetch', async () => new Response(body, { status, statusText, headers }));
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

test.each([
  ['{"error":{"message":{"a":1},"parameter":5}}', 502, '502 Bad Gateway'],
  ['{"errors":[{"message":7}]}', 502, '502 Bad Gateway'],
  ['{"error":{"message":"Too many"}}', 429, 'Too many'],
  ['{"error":{"message":"x"}}', 200, 'There are no rows.'],
  ['{"result":[null]}', 200, 'in its place'],
  ['{"result":[{},[1]]}', 200, 'in its place'],
])('of an answer of a proxy, %s, only what is of a gateway is shown', async (body, status, message) => {
  const gateway = answering(body, {}, status, 'Bad Gateway');
  const problem = await gateway.rows('/x', new AbortController().signal, false).catch((error) => error);
  expect(problem).toBeInstanceOf(GatewayError);
  expect(problem.message).toContain(message);
  expect(problem.parameter).toBeUndefined();
});

test('SQL that is not from the gateway is not shown', async () => {
  for (const body of ['<html>', 'null', '{"data":{"endpoint":{"query":5}},"errors":[{"message":{}}]}'])
    await expect(answering(body, {}).sql('x')).rejects.toThrow(/in its place|is not available/);
});

test('only a request that may succeed later is repeated', () => {
  const isWrong = (status: number) => isWrongRequest(new GatewayError('', { status }));
  expect([400, 401, 403, 404].map(isWrong)).toEqual([true, true, true, true]);
  expect([0, 200, 429, 500, 503].filter(isWrong)).toEqual([]);
});
